-- view
select c.customer_id, v.label
from customers as c
join (values ('a', 'Alpha'), ('b', 'Beta')) as v (code, label) on v.code = c.segment

-- types
label string

-- delta of customers
SELECT
  `c`.`customer_id` AS `customer_id`,
  `v`.`label` AS `label_2`,
  `c`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`customers_changes` AS `c`
JOIN VALUES
  ('a', 'Alpha'),
  ('b', 'Beta') AS `v`(`code`, `label`)
  ON `v`.`code` = `c`.`segment`
