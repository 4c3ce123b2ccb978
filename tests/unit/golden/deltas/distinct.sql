-- view
select distinct customer_id from shop.orders

-- delta of orders
SELECT
  `orders`.`customer_id` AS `customer_id`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`orders_changes` AS `orders`
