-- view
select customer_id, avg(amount) as mean_amount from shop.orders group by 1

-- types
--mean_amount decimal(16,6)
--__ivm_argument_mean_amount decimal(12,2)

-- delta of orders
SELECT
  `orders`.`customer_id` AS `orders_customer_id`,
  `orders`.`amount` AS `orders_amount`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`orders_changes` AS `orders`
