-- view
select customer_id, year(ordered_on) as y, sum(amount) as revenue, grouping_id() as level,
  count(distinct note) as notes
from orders
group by grouping sets ((customer_id, year(ordered_on)), (customer_id), (customer_id), ())

-- types
y int
notes bigint
__ivm_set_of_customer_id int
revenue decimal(22,2)
__ivm_argument_revenue decimal(12,2)

-- delta of orders
SELECT
  `orders`.`customer_id` AS `orders_customer_id`,
  `orders`.`ordered_on` AS `orders_ordered_on`,
  `orders`.`amount` AS `orders_amount`,
  `orders`.`note` AS `orders_note`,
  `generated`.`__ivm_set_of_customer_id` AS `__ivm_set_of_customer_id`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`orders_changes` AS `orders`
LATERAL VIEW
EXPLODE(ARRAY(0, 1, 5, 3)) generated AS `__ivm_set_of_customer_id`
