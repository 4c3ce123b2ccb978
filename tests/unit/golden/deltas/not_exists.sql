-- view
select c.customer_id from shop.customers c where not exists (select 1 from shop.orders o where o.customer_id = c.customer_id)

-- delta of orders
SELECT
  `q_2`.`c_customer_id` AS `customer_id`,
  `q_2`.`__ivm_weight` * `q_2`.`__ivm_kept_side` AS `__ivm_weight`
FROM (
  SELECT
    `c`.`customer_id` AS `c_customer_id`,
    `generated`.`__ivm_kept_side` AS `__ivm_kept_side`,
    1 AS `__ivm_weight`
  FROM `shop`.`customers` AS `c`
  LEFT SEMI JOIN (
    SELECT
      `o`.`customer_id` AS `o_customer_id`
    FROM `shop`.`orders_changes` AS `o`
  ) AS `q`
    ON `q`.`o_customer_id` = `c`.`customer_id`
  LATERAL VIEW
  EXPLODE(array(1, -1)) generated AS `__ivm_kept_side`
) AS `q_2`
LEFT ANTI JOIN (
  SELECT
    `q_5`.`o_customer_id` AS `o_customer_id`,
    `q_5`.`__ivm_side` AS `__ivm_side`
  FROM (
    SELECT
      `q_4`.`o_customer_id` AS `o_customer_id`,
      `q_4`.`__ivm_side` AS `__ivm_side`,
      SUM(`q_4`.`__ivm_weight`) AS `__ivm_times`
    FROM (
      SELECT
        `o`.`customer_id` AS `o_customer_id`,
        `generated_2`.`__ivm_side` AS `__ivm_side`,
        1 AS `__ivm_weight`
      FROM `shop`.`orders` AS `o`
      LEFT SEMI JOIN (
        SELECT DISTINCT
          `o`.`customer_id` AS `__ivm_touched_0`
        FROM `shop`.`orders_changes` AS `o`
      ) AS `q_3`
        ON `o`.`customer_id` IS NOT DISTINCT FROM `q_3`.`__ivm_touched_0`
      LATERAL VIEW
      EXPLODE(array(1, -1)) generated_2 AS `__ivm_side`
      UNION ALL
      SELECT
        `o`.`customer_id` AS `o_customer_id`,
        -1 AS `__ivm_side`,
        -`o`.`__ivm_weight` AS `__ivm_weight`
      FROM `shop`.`orders_changes` AS `o`
    ) AS `q_4`
    GROUP BY
      `q_4`.`o_customer_id`,
      `q_4`.`__ivm_side`
  ) AS `q_5`
  WHERE
    `q_5`.`__ivm_times` > 0
) AS `q_6`
  ON `q_6`.`o_customer_id` = `q_2`.`c_customer_id`
  AND `q_2`.`__ivm_kept_side` = `q_6`.`__ivm_side`
