-- view
select a.order_id, b.order_id as other from shop.orders a join shop.orders b on a.customer_id = b.customer_id

-- types
--other bigint

-- delta of orders
SELECT
  `q_2`.`a_order_id` AS `order_id`,
  `q_2`.`b_order_id` AS `other`,
  `q_2`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `a`.`order_id` AS `a_order_id`,
    `a`.`customer_id` AS `a_customer_id`,
    `q`.`b_order_id` AS `b_order_id`,
    `q`.`b_customer_id` AS `b_customer_id`,
    (
      `a`.`__ivm_weight`
    ) * (
      `q`.`__ivm_weight`
    ) AS `__ivm_weight`
  FROM `shop`.`orders_changes` AS `a`
  JOIN (
    SELECT
      `b`.`order_id` AS `b_order_id`,
      `b`.`customer_id` AS `b_customer_id`,
      1 AS `__ivm_weight`
    FROM `shop`.`orders` AS `b`
    UNION ALL
    SELECT
      `b`.`order_id` AS `b_order_id`,
      `b`.`customer_id` AS `b_customer_id`,
      -`b`.`__ivm_weight` AS `__ivm_weight`
    FROM `shop`.`orders_changes` AS `b`
  ) AS `q`
    ON `a`.`customer_id` = `q`.`b_customer_id`
  UNION ALL
  SELECT
    `a`.`order_id` AS `a_order_id`,
    `a`.`customer_id` AS `a_customer_id`,
    `b`.`order_id` AS `b_order_id`,
    `b`.`customer_id` AS `b_customer_id`,
    `b`.`__ivm_weight` AS `__ivm_weight`
  FROM `shop`.`orders_changes` AS `b`
  JOIN `shop`.`orders` AS `a`
    ON `a`.`customer_id` = `b`.`customer_id`
) AS `q_2`
