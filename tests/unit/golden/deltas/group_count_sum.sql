-- view
select customer_id, count(*) as orders, sum(amount) as revenue from shop.orders group by customer_id

-- types
--revenue decimal(22,2)
--orders bigint
--__ivm_argument_revenue decimal(12,2)

-- delta of orders
SELECT
  `orders`.`customer_id` AS `orders_customer_id`,
  `orders`.`amount` AS `orders_amount`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`orders_changes` AS `orders`
