-- view
select customer_id, count(distinct note) as notes from shop.orders group by customer_id

-- types
--notes bigint

-- delta of orders
SELECT
  `orders`.`customer_id` AS `orders_customer_id`,
  `orders`.`note` AS `orders_note`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`orders_changes` AS `orders`
