-- view
select customer_id, sum(amount) as revenue from shop.orders group by customer_id having count(*) > 2 order by revenue desc limit 10

-- types
--revenue decimal(22,2)
--__ivm_argument_revenue decimal(12,2)
--count bigint

-- delta of orders
SELECT
  `orders`.`customer_id` AS `orders_customer_id`,
  `orders`.`amount` AS `orders_amount`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`orders_changes` AS `orders`
