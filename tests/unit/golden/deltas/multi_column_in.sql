-- view
select order_id from shop.orders where (customer_id, note) in (select customer_id, name from shop.customers)

-- delta of orders
SELECT
  `orders`.`order_id` AS `order_id`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`orders_changes` AS `orders`
LEFT SEMI JOIN (
  SELECT
    `customers`.`customer_id` AS `customer_id`,
    `customers`.`name` AS `name`
  FROM `shop`.`customers` AS `customers`
) AS `q`
  ON `orders`.`customer_id` = `q`.`customer_id` AND `orders`.`note` = `q`.`name`
