-- view
select order_id from shop.orders o where amount > 100 or exists (select 1 from shop.customers c where c.customer_id = o.customer_id)

-- delta of orders
SELECT
  `q_3`.`o_order_id` AS `order_id`,
  `q_3`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `o`.`order_id` AS `o_order_id`,
    `o`.`__ivm_weight` AS `__ivm_weight`
  FROM `shop`.`orders_changes` AS `o`
  LEFT SEMI JOIN (
    SELECT
      `c`.`customer_id` AS `c_customer_id`
    FROM `shop`.`customers` AS `c`
  ) AS `q`
    ON `q`.`c_customer_id` = `o`.`customer_id`
  UNION ALL
  SELECT
    `o`.`order_id` AS `o_order_id`,
    `o`.`__ivm_weight` AS `__ivm_weight`
  FROM `shop`.`orders_changes` AS `o`
  LEFT ANTI JOIN (
    SELECT
      `c`.`customer_id` AS `c_customer_id`
    FROM `shop`.`customers` AS `c`
  ) AS `q_2`
    ON `q_2`.`c_customer_id` = `o`.`customer_id`
  WHERE
    (
      `o`.`amount` > 100
    )
) AS `q_3`
