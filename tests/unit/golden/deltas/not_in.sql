-- view
select order_id from shop.orders where customer_id not in (select customer_id from shop.customers)

-- delta of orders
SELECT
  `orders`.`order_id` AS `order_id`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`orders_changes` AS `orders`
LEFT ANTI JOIN (
  SELECT
    `customers`.`customer_id` AS `customer_id`
  FROM `shop`.`customers` AS `customers`
) AS `q`
  ON (
    (
      `orders`.`customer_id` = `q`.`customer_id`
    )
    OR (
      `orders`.`customer_id` = `q`.`customer_id`
    ) IS NULL
  )
