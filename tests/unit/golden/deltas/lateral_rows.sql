-- view
select o.order_id, l.name, l.total from shop.orders o left join lateral (select c.name, o.amount + c.customer_id as total from shop.customers c where c.customer_id = o.customer_id) l on true

-- types
- total decimal(22,2)

-- delta of orders
SELECT
  `o`.`order_id` AS `order_id`,
  CASE WHEN NOT `q`.`__ivm_lateral_there` IS NULL THEN `q`.`c_name` END AS `name_2`,
  CASE
    WHEN NOT `q`.`__ivm_lateral_there` IS NULL
    THEN `o`.`amount` + `q`.`c_customer_id`
  END AS `total_2`,
  `o`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`orders_changes` AS `o`
LEFT JOIN (
  SELECT
    `c`.`customer_id` AS `c_customer_id`,
    `c`.`name` AS `c_name`,
    1 AS `__ivm_lateral_there`
  FROM `shop`.`customers` AS `c`
) AS `q`
  ON `q`.`c_customer_id` = `o`.`customer_id` AND TRUE
