-- view
select order_id, segment, customer_id from shop.orders join shop.customers using (customer_id)

-- delta of orders
SELECT
  `orders`.`order_id` AS `order_id`,
  `customers`.`segment` AS `segment`,
  `orders`.`customer_id` AS `customer_id`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`orders_changes` AS `orders`
JOIN `shop`.`customers` AS `customers`
  ON `orders`.`customer_id` = `customers`.`customer_id`
