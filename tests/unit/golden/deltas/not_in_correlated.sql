-- view
select order_id from shop.orders o where customer_id not in (select customer_id from shop.customers c where c.segment = o.note)

-- delta of orders
SELECT
  `o`.`order_id` AS `order_id`,
  `o`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`orders_changes` AS `o`
LEFT ANTI JOIN (
  SELECT
    `c`.`customer_id` AS `customer_id`,
    `c`.`segment` AS `c_segment`
  FROM `shop`.`customers` AS `c`
) AS `q`
  ON (
    (
      `o`.`customer_id` = `q`.`customer_id`
    )
    OR (
      `o`.`customer_id` = `q`.`customer_id`
    ) IS NULL
  )
  AND `q`.`c_segment` = `o`.`note`
