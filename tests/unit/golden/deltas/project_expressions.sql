-- view
select order_id, upper(note) as note, amount * 2 as doubled from shop.orders

-- types
--doubled decimal(23,2)

-- delta of orders
SELECT
  `orders`.`order_id` AS `order_id`,
  upper(`orders`.`note`) AS `note`,
  `orders`.`amount` * 2 AS `doubled`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`orders_changes` AS `orders`
