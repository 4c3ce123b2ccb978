-- view
select o.order_id, c.segment from shop.orders o join shop.customers c on c.customer_id = o.customer_id and o.note not in (select name from shop.customers)

-- delta of orders
SELECT
  `o`.`order_id` AS `order_id`,
  `c`.`segment` AS `segment`,
  `o`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`orders_changes` AS `o`
JOIN `shop`.`customers` AS `c`
  ON `c`.`customer_id` = `o`.`customer_id`
LEFT ANTI JOIN (
  SELECT
    `customers`.`name` AS `name`
  FROM `shop`.`customers` AS `customers`
) AS `q`
  ON (
    (
      `o`.`note` = `q`.`name`
    ) OR (
      `o`.`note` = `q`.`name`
    ) IS NULL
  )
