-- view
select customer_id from orders
union all select customer_id from customers
union all select 0
order by customer_id desc
limit 5

-- delta of orders
SELECT
  `orders`.`customer_id` AS `customer_id_3`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`orders_changes` AS `orders`
UNION ALL
SELECT
  `customers`.`customer_id` AS `customer_id_3`,
  0 AS `__ivm_weight`
FROM `shop`.`customers` AS `customers`
WHERE
  FALSE
UNION ALL
SELECT
  0 AS `customer_id_3`,
  0 AS `__ivm_weight`
FROM (
  SELECT
    0 AS nothing
) AS `q`
WHERE
  FALSE
