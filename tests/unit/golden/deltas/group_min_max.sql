-- view
select customer_id, min(amount) as lowest, max(ordered_on) as newest from shop.orders group by customer_id

-- types
--lowest decimal(12,2)
--newest date
--__ivm_argument_lowest decimal(12,2)
--__ivm_argument_newest date

-- delta of orders
SELECT
  `orders`.`customer_id` AS `orders_customer_id`,
  `orders`.`ordered_on` AS `orders_ordered_on`,
  `orders`.`amount` AS `orders_amount`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`orders_changes` AS `orders`
