-- view
select c.customer_id from shop.customers c where exists (select 1 from shop.orders o where o.customer_id = c.customer_id and o.amount > 10)

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
      `o`.`customer_id` AS `o_customer_id`,
      `o`.`amount` AS `o_amount`
    FROM `shop`.`orders_changes` AS `o`
    WHERE
      `o`.`amount` > 10
  ) AS `q`
    ON `q`.`o_customer_id` = `c`.`customer_id`
  LATERAL VIEW
  EXPLODE(array(1, -1)) generated AS `__ivm_kept_side`
) AS `q_2`
LEFT SEMI JOIN (
  SELECT
    `q_6`.`o_customer_id` AS `o_customer_id`,
    `q_6`.`o_amount` AS `o_amount`,
    `q_6`.`__ivm_side` AS `__ivm_side`
  FROM (
    SELECT
      `q_5`.`o_customer_id` AS `o_customer_id`,
      `q_5`.`o_amount` AS `o_amount`,
      `q_5`.`__ivm_side` AS `__ivm_side`,
      SUM(`q_5`.`__ivm_weight`) AS `__ivm_times`
    FROM (
      SELECT
        `q_4`.`o_customer_id` AS `o_customer_id`,
        `q_4`.`o_amount` AS `o_amount`,
        `generated_2`.`__ivm_side` AS `__ivm_side`,
        1 AS `__ivm_weight`
      FROM (
        SELECT
          `o`.`customer_id` AS `o_customer_id`,
          `o`.`amount` AS `o_amount`
        FROM `shop`.`orders` AS `o`
        LEFT SEMI JOIN (
          SELECT DISTINCT
            `o`.`customer_id` AS `__ivm_touched_0`
          FROM `shop`.`orders_changes` AS `o`
          WHERE
            `o`.`amount` > 10
        ) AS `q_3`
          ON `o`.`customer_id` IS NOT DISTINCT FROM `q_3`.`__ivm_touched_0`
        WHERE
          `o`.`amount` > 10
      ) AS `q_4`
      LATERAL VIEW
      EXPLODE(array(1, -1)) generated_2 AS `__ivm_side`
      UNION ALL
      SELECT
        `o`.`customer_id` AS `o_customer_id`,
        `o`.`amount` AS `o_amount`,
        -1 AS `__ivm_side`,
        -`o`.`__ivm_weight` AS `__ivm_weight`
      FROM `shop`.`orders_changes` AS `o`
      WHERE
        `o`.`amount` > 10
    ) AS `q_5`
    GROUP BY
      `q_5`.`o_customer_id`,
      `q_5`.`o_amount`,
      `q_5`.`__ivm_side`
  ) AS `q_6`
  WHERE
    `q_6`.`__ivm_times` > 0
) AS `q_7`
  ON `q_7`.`o_customer_id` = `q_2`.`c_customer_id`
  AND `q_2`.`__ivm_kept_side` = `q_7`.`__ivm_side`
