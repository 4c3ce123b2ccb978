-- view
select o.order_id, c.segment from shop.orders o left join shop.customers c on o.customer_id < c.customer_id

-- delta of orders
SELECT
  `o`.`order_id` AS `order_id`,
  `c`.`segment` AS `segment`,
  `o`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`orders_changes` AS `o`
LEFT JOIN `shop`.`customers` AS `c`
  ON `o`.`customer_id` < `c`.`customer_id`
