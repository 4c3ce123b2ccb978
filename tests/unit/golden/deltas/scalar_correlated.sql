-- view
select order_id from shop.orders o where amount = (select max(p.amount) from shop.orders p where p.customer_id = o.customer_id)

-- delta of orders
SELECT
  `q_7`.`o_order_id` AS `order_id`,
  `q_7`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `q_4`.`p_customer_id` AS `p_customer_id`,
    `q_4`.`col_0` AS `col_0`,
    `q_5`.`o_order_id` AS `o_order_id`,
    `q_5`.`o_customer_id` AS `o_customer_id`,
    `q_5`.`o_amount` AS `o_amount`,
    (
      `q_4`.`__ivm_side`
    ) * (
      `q_5`.`__ivm_weight`
    ) AS `__ivm_weight`
  FROM (
    SELECT
      `q_3`.`p_customer_id` AS `p_customer_id`,
      `q_3`.`__ivm_side` AS `__ivm_side`,
      max(`q_3`.`p_amount`) AS `col_0`
    FROM (
      SELECT
        `q_2`.`p_customer_id` AS `p_customer_id`,
        `q_2`.`p_amount` AS `p_amount`,
        `q_2`.`__ivm_side` AS `__ivm_side`,
        SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
      FROM (
        SELECT
          `p`.`customer_id` AS `p_customer_id`,
          `p`.`amount` AS `p_amount`,
          `generated`.`__ivm_side` AS `__ivm_side`,
          1 AS `__ivm_weight`
        FROM `shop`.`orders` AS `p`
        LEFT SEMI JOIN (
          SELECT DISTINCT
            `p`.`customer_id` AS `__ivm_touched_0`
          FROM `shop`.`orders_changes` AS `p`
        ) AS `q`
          ON `p`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_touched_0`
        LATERAL VIEW
        EXPLODE(array(1, -1)) generated AS `__ivm_side`
        UNION ALL
        SELECT
          `p`.`customer_id` AS `p_customer_id`,
          `p`.`amount` AS `p_amount`,
          -1 AS `__ivm_side`,
          -`p`.`__ivm_weight` AS `__ivm_weight`
        FROM `shop`.`orders_changes` AS `p`
      ) AS `q_2`
      GROUP BY
        `q_2`.`p_customer_id`,
        `q_2`.`p_amount`,
        `q_2`.`__ivm_side`
    ) AS `q_3`
    WHERE
      `q_3`.`__ivm_times` > 0
    GROUP BY
      `q_3`.`p_customer_id`,
      `q_3`.`__ivm_side`
  ) AS `q_4`
  JOIN (
    SELECT
      `o`.`order_id` AS `o_order_id`,
      `o`.`customer_id` AS `o_customer_id`,
      `o`.`amount` AS `o_amount`,
      1 AS `__ivm_weight`
    FROM `shop`.`orders` AS `o`
    UNION ALL
    SELECT
      `o`.`order_id` AS `o_order_id`,
      `o`.`customer_id` AS `o_customer_id`,
      `o`.`amount` AS `o_amount`,
      -`o`.`__ivm_weight` AS `__ivm_weight`
    FROM `shop`.`orders_changes` AS `o`
  ) AS `q_5`
    ON `q_4`.`p_customer_id` = `q_5`.`o_customer_id`
  UNION ALL
  SELECT
    `q_6`.`p_customer_id` AS `p_customer_id`,
    `q_6`.`col_0` AS `col_0`,
    `o`.`order_id` AS `o_order_id`,
    `o`.`customer_id` AS `o_customer_id`,
    `o`.`amount` AS `o_amount`,
    `o`.`__ivm_weight` AS `__ivm_weight`
  FROM `shop`.`orders_changes` AS `o`
  JOIN (
    SELECT
      `p`.`customer_id` AS `p_customer_id`,
      max(`p`.`amount`) AS `col_0`
    FROM `shop`.`orders` AS `p`
    GROUP BY
      `p`.`customer_id`
  ) AS `q_6`
    ON `q_6`.`p_customer_id` = `o`.`customer_id`
) AS `q_7`
WHERE
  `q_7`.`o_amount` = `q_7`.`col_0`
