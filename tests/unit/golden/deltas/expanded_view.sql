-- view
select id, amount from shop.big_orders where amount < 1000

-- delta of orders
SELECT
  `orders`.`order_id` AS `id_2`,
  `orders`.`amount` AS `amount_3`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`orders_changes` AS `orders`
WHERE
  `orders`.`amount` > 100 AND `orders`.`amount` < 1000
