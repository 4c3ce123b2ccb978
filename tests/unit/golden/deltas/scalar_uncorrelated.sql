-- view
select order_id from shop.orders where amount > (select max(seconds) from shop.clicks)

-- delta of orders
SELECT
  `orders`.`order_id` AS `order_id`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`orders_changes` AS `orders`
CROSS JOIN (
  SELECT
    max(`clicks`.`seconds`) AS `col_0`
  FROM `shop`.`clicks` AS `clicks`
) AS `q`
WHERE
  `orders`.`amount` > `q`.`col_0`
