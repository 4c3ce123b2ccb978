-- view
select o.order_id, c.segment from shop.orders o full join shop.customers c on o.customer_id < c.customer_id

-- delta of orders
SELECT
  `q_9`.`o_order_id` AS `order_id`,
  `q_9`.`c_segment` AS `segment`,
  `q_9`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `o`.`order_id` AS `o_order_id`,
    `o`.`customer_id` AS `o_customer_id`,
    `c`.`customer_id` AS `c_customer_id`,
    `c`.`segment` AS `c_segment`,
    `o`.`__ivm_weight` AS `__ivm_weight`
  FROM `shop`.`orders_changes` AS `o`
  LEFT JOIN `shop`.`customers` AS `c`
    ON `o`.`customer_id` < `c`.`customer_id`
  UNION ALL
  SELECT
    `q_8`.`o_order_id` AS `o_order_id`,
    `q_8`.`o_customer_id` AS `o_customer_id`,
    `q_7`.`c_customer_id` AS `c_customer_id`,
    `q_7`.`c_segment` AS `c_segment`,
    `q_7`.`__ivm_weight` AS `__ivm_weight`
  FROM (
    SELECT
      `o`.`order_id` AS `o_order_id`,
      `o`.`customer_id` AS `o_customer_id`
    FROM `shop`.`orders` AS `o`
    WHERE
      FALSE
  ) AS `q_8`
  RIGHT JOIN (
    SELECT
      `c`.`customer_id` AS `c_customer_id`,
      `c`.`segment` AS `c_segment`,
      1 AS `__ivm_weight`
    FROM `shop`.`customers` AS `c`
    LEFT SEMI JOIN (
      SELECT
        `o`.`order_id` AS `o_order_id`,
        `o`.`customer_id` AS `o_customer_id`
      FROM `shop`.`orders_changes` AS `o`
    ) AS `q`
      ON `q`.`o_customer_id` < `c`.`customer_id`
    LEFT ANTI JOIN (
      SELECT
        `o`.`order_id` AS `o_order_id`,
        `o`.`customer_id` AS `o_customer_id`
      FROM `shop`.`orders` AS `o`
    ) AS `q_2`
      ON `q_2`.`o_customer_id` < `c`.`customer_id`
    UNION ALL
    SELECT
      `c`.`customer_id` AS `c_customer_id`,
      `c`.`segment` AS `c_segment`,
      -1 AS `__ivm_weight`
    FROM `shop`.`customers` AS `c`
    LEFT SEMI JOIN (
      SELECT
        `o`.`order_id` AS `o_order_id`,
        `o`.`customer_id` AS `o_customer_id`
      FROM `shop`.`orders_changes` AS `o`
    ) AS `q_3`
      ON `q_3`.`o_customer_id` < `c`.`customer_id`
    LEFT ANTI JOIN (
      SELECT
        `q_5`.`o_order_id` AS `o_order_id`,
        `q_5`.`o_customer_id` AS `o_customer_id`
      FROM (
        SELECT
          `q_4`.`o_order_id` AS `o_order_id`,
          `q_4`.`o_customer_id` AS `o_customer_id`,
          SUM(`q_4`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `o`.`order_id` AS `o_order_id`,
            `o`.`customer_id` AS `o_customer_id`,
            1 AS `__ivm_weight`
          FROM `shop`.`orders` AS `o`
          UNION ALL
          SELECT
            `o`.`order_id` AS `o_order_id`,
            `o`.`customer_id` AS `o_customer_id`,
            -`o`.`__ivm_weight` AS `__ivm_weight`
          FROM `shop`.`orders_changes` AS `o`
        ) AS `q_4`
        GROUP BY
          `q_4`.`o_order_id`,
          `q_4`.`o_customer_id`
      ) AS `q_5`
      WHERE
        `q_5`.`__ivm_times` > 0
    ) AS `q_6`
      ON `q_6`.`o_customer_id` < `c`.`customer_id`
  ) AS `q_7`
    ON TRUE
) AS `q_9`
