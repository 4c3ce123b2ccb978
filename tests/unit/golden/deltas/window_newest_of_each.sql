-- view
select order_id, customer_id, amount from (
  select *, row_number() over (partition by customer_id order by ordered_on desc) as n from shop.orders
) where n = 1

-- delta of orders
SELECT
  `q_5`.`order_id` AS `order_id_2`,
  `q_5`.`customer_id` AS `customer_id_2`,
  `q_5`.`amount` AS `amount_2`,
  `q_5`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `q_4`.`orders_order_id` AS `order_id`,
    `q_4`.`orders_customer_id` AS `customer_id`,
    `q_4`.`orders_amount` AS `amount`,
    row_number() OVER (
      PARTITION BY `q_4`.`orders_customer_id`, `q_4`.`__ivm_side`
      ORDER BY `q_4`.`orders_ordered_on` DESC, `q_4`.`orders_order_id`, `q_4`.`orders_amount`
    ) AS `n_2`,
    `q_4`.`__ivm_side` AS `__ivm_weight`
  FROM (
    SELECT
      `q_3`.`orders_order_id` AS `orders_order_id`,
      `q_3`.`orders_customer_id` AS `orders_customer_id`,
      `q_3`.`orders_ordered_on` AS `orders_ordered_on`,
      `q_3`.`orders_amount` AS `orders_amount`,
      `q_3`.`__ivm_side` AS `__ivm_side`,
      `q_3`.`__ivm_times` AS `__ivm_times`
    FROM (
      SELECT
        `q_2`.`orders_order_id` AS `orders_order_id`,
        `q_2`.`orders_customer_id` AS `orders_customer_id`,
        `q_2`.`orders_ordered_on` AS `orders_ordered_on`,
        `q_2`.`orders_amount` AS `orders_amount`,
        `q_2`.`__ivm_side` AS `__ivm_side`,
        SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
      FROM (
        SELECT
          `orders`.`order_id` AS `orders_order_id`,
          `orders`.`customer_id` AS `orders_customer_id`,
          `orders`.`ordered_on` AS `orders_ordered_on`,
          `orders`.`amount` AS `orders_amount`,
          `generated`.`__ivm_side` AS `__ivm_side`,
          1 AS `__ivm_weight`
        FROM `shop`.`orders` AS `orders`
        LEFT SEMI JOIN (
          SELECT DISTINCT
            `orders`.`customer_id` AS `__ivm_touched_0`
          FROM `shop`.`orders_changes` AS `orders`
        ) AS `q`
          ON `orders`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_touched_0`
        LATERAL VIEW
        EXPLODE(array(1, -1)) generated AS `__ivm_side`
        UNION ALL
        SELECT
          `orders`.`order_id` AS `orders_order_id`,
          `orders`.`customer_id` AS `orders_customer_id`,
          `orders`.`ordered_on` AS `orders_ordered_on`,
          `orders`.`amount` AS `orders_amount`,
          -1 AS `__ivm_side`,
          -`orders`.`__ivm_weight` AS `__ivm_weight`
        FROM `shop`.`orders_changes` AS `orders`
      ) AS `q_2`
      GROUP BY
        `q_2`.`orders_order_id`,
        `q_2`.`orders_customer_id`,
        `q_2`.`orders_ordered_on`,
        `q_2`.`orders_amount`,
        `q_2`.`__ivm_side`
    ) AS `q_3`
    WHERE
      `q_3`.`__ivm_times` > 0
  ) AS `q_4`
  LATERAL VIEW
  EXPLODE(array_repeat(0, CAST(`q_4`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`
) AS `q_5`
WHERE
  `q_5`.`n_2` = 1
