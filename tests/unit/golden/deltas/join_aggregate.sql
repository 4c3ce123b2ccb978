-- view
select c.segment, sum(o.amount) as revenue from shop.orders o join shop.customers c using (customer_id) where o.amount > 1 group by 1

-- types
--revenue decimal(22,2)
--__ivm_argument_revenue decimal(12,2)

-- delta of orders
SELECT
  `o`.`customer_id` AS `o_customer_id`,
  `o`.`amount` AS `o_amount`,
  `c`.`customer_id` AS `c_customer_id`,
  `c`.`segment` AS `c_segment`,
  `o`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`orders_changes` AS `o`
JOIN `shop`.`customers` AS `c`
  ON `o`.`customer_id` = `c`.`customer_id` AND `o`.`amount` > 1
