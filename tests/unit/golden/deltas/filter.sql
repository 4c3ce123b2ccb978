-- view
select order_id, amount from shop.orders where amount > 10

-- delta of orders
SELECT
  `orders`.`order_id` AS `order_id`,
  `orders`.`amount` AS `amount`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`orders_changes` AS `orders`
WHERE
  `orders`.`amount` > 10
