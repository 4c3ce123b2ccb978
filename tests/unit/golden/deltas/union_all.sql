-- view
select customer_id from shop.orders union all select user_id from shop.clicks

-- delta of orders
SELECT
  `orders`.`customer_id` AS `customer_id_2`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`orders_changes` AS `orders`
UNION ALL
SELECT
  `clicks`.`user_id` AS `customer_id_2`,
  0 AS `__ivm_weight`
FROM `shop`.`clicks` AS `clicks`
WHERE
  FALSE
