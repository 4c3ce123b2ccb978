-- view
with o as (select order_id, customer_id from shop.orders) select x.order_id, y.customer_id from o x join o y on x.order_id = y.customer_id

-- delta of orders
SELECT
  `q_2`.`order_id` AS `order_id_3`,
  `q_2`.`customer_id_2` AS `customer_id_3`,
  `q_2`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `orders`.`order_id` AS `order_id`,
    `q`.`customer_id_2` AS `customer_id_2`,
    (
      `orders`.`__ivm_weight`
    ) * (
      `q`.`__ivm_weight`
    ) AS `__ivm_weight`
  FROM `shop`.`orders_changes` AS `orders`
  JOIN (
    SELECT
      `orders_2`.`customer_id` AS `customer_id_2`,
      1 AS `__ivm_weight`
    FROM `shop`.`orders` AS `orders_2`
    UNION ALL
    SELECT
      `orders_2`.`customer_id` AS `customer_id_2`,
      -`orders_2`.`__ivm_weight` AS `__ivm_weight`
    FROM `shop`.`orders_changes` AS `orders_2`
  ) AS `q`
    ON `orders`.`order_id` = `q`.`customer_id_2`
  UNION ALL
  SELECT
    `orders`.`order_id` AS `order_id`,
    `orders_2`.`customer_id` AS `customer_id_2`,
    `orders_2`.`__ivm_weight` AS `__ivm_weight`
  FROM `shop`.`orders_changes` AS `orders_2`
  JOIN `shop`.`orders` AS `orders`
    ON `orders`.`order_id` = `orders_2`.`customer_id`
) AS `q_2`
