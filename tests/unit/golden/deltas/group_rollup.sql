-- view
select segment, name, count(*) as n, max(customer_id) as newest, grouping(name) as all_names
from customers
group by rollup (segment, name)
having grouping(segment) = 0

-- types
n bigint
newest bigint
__ivm_argument_newest bigint
__ivm_set_of_segment int

-- delta of customers
SELECT
  `customers`.`customer_id` AS `customers_customer_id`,
  `customers`.`segment` AS `customers_segment`,
  `customers`.`name` AS `customers_name`,
  `generated`.`__ivm_set_of_segment` AS `__ivm_set_of_segment`,
  `customers`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`customers_changes` AS `customers`
LATERAL VIEW
EXPLODE(ARRAY(0, 1, 3)) generated AS `__ivm_set_of_segment`
