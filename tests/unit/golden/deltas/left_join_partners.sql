-- view
select c.name, o.order_id from customers c left join orders o on o.customer_id = c.customer_id

-- delta of orders
SELECT
  `q_6`.`c_name` AS `name`,
  `q_7`.`o_order_id` AS `order_id`,
  `q_6`.`__ivm_weight` * `q_6`.`__ivm_kept_side` AS `__ivm_weight`
FROM (
  SELECT
    `c`.`customer_id` AS `c_customer_id`,
    `c`.`name` AS `c_name`,
    `generated`.`__ivm_kept_side` AS `__ivm_kept_side`,
    1 AS `__ivm_weight`
  FROM `shop`.`customers` AS `c`
  LEFT SEMI JOIN (
    SELECT
      `o`.`order_id` AS `o_order_id`,
      `o`.`customer_id` AS `o_customer_id`
    FROM `shop`.`orders_changes` AS `o`
  ) AS `q`
    ON `q`.`o_customer_id` = `c`.`customer_id`
  LATERAL VIEW
  EXPLODE(array(1, -1)) generated AS `__ivm_kept_side`
) AS `q_6`
LEFT JOIN (
  SELECT
    `q_5`.`o_order_id` AS `o_order_id`,
    `q_5`.`o_customer_id` AS `o_customer_id`,
    `q_5`.`__ivm_side` AS `__ivm_side`
  FROM (
    SELECT
      `q_4`.`o_order_id` AS `o_order_id`,
      `q_4`.`o_customer_id` AS `o_customer_id`,
      `q_4`.`__ivm_side` AS `__ivm_side`,
      `q_4`.`__ivm_times` AS `__ivm_times`
    FROM (
      SELECT
        `q_3`.`o_order_id` AS `o_order_id`,
        `q_3`.`o_customer_id` AS `o_customer_id`,
        `q_3`.`__ivm_side` AS `__ivm_side`,
        SUM(`q_3`.`__ivm_weight`) AS `__ivm_times`
      FROM (
        SELECT
          `o`.`order_id` AS `o_order_id`,
          `o`.`customer_id` AS `o_customer_id`,
          `generated_2`.`__ivm_side` AS `__ivm_side`,
          1 AS `__ivm_weight`
        FROM `shop`.`orders` AS `o`
        LEFT SEMI JOIN (
          SELECT DISTINCT
            `o`.`customer_id` AS `__ivm_touched_0`
          FROM `shop`.`orders_changes` AS `o`
        ) AS `q_2`
          ON `o`.`customer_id` IS NOT DISTINCT FROM `q_2`.`__ivm_touched_0`
        LATERAL VIEW
        EXPLODE(array(1, -1)) generated_2 AS `__ivm_side`
        UNION ALL
        SELECT
          `o`.`order_id` AS `o_order_id`,
          `o`.`customer_id` AS `o_customer_id`,
          -1 AS `__ivm_side`,
          -`o`.`__ivm_weight` AS `__ivm_weight`
        FROM `shop`.`orders_changes` AS `o`
      ) AS `q_3`
      GROUP BY
        `q_3`.`o_order_id`,
        `q_3`.`o_customer_id`,
        `q_3`.`__ivm_side`
    ) AS `q_4`
    WHERE
      `q_4`.`__ivm_times` > 0
  ) AS `q_5`
  LATERAL VIEW
  EXPLODE(array_repeat(0, CAST(`q_5`.`__ivm_times` AS INT))) generated_3 AS `__ivm_copy`
) AS `q_7`
  ON `q_7`.`o_customer_id` = `q_6`.`c_customer_id`
  AND `q_6`.`__ivm_kept_side` = `q_7`.`__ivm_side`
