-- view
select order_id from shop.orders where exists (select 1 from shop.customers)

-- delta of orders
SELECT
  `orders`.`order_id` AS `order_id`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`orders_changes` AS `orders`
CROSS JOIN (
  SELECT
    MAX(1) AS `__ivm_exists_some`
  FROM `shop`.`customers` AS `customers`
) AS `q`
WHERE
  NOT `q`.`__ivm_exists_some` IS NULL
