-- view
select customer_id, count(*) filter (where amount > 5) as big, sum(amount) filter (where note is null) as plain from shop.orders group by all

-- types
--big bigint
--plain decimal(22,2)
--__ivm_argument_plain decimal(12,2)

-- delta of orders
SELECT
  `orders`.`customer_id` AS `orders_customer_id`,
  `orders`.`amount` AS `orders_amount`,
  `orders`.`note` AS `orders_note`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`orders_changes` AS `orders`
