-- view
select window.start as begins, count(*) as c from shop.orders group by window(cast(ordered_on as timestamp), '10 days', '5 days')

-- types
window struct<start:timestamp,end:timestamp>
c bigint

-- delta of orders
SELECT
  `q`.`orders_ordered_on` AS `orders_ordered_on`,
  `q`.`window` AS `window`,
  `q`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `orders`.`ordered_on` AS `orders_ordered_on`,
    `orders`.`__ivm_weight` AS `__ivm_weight`,
    window(CAST(`orders`.`ordered_on` AS TIMESTAMP), '10 days', '5 days') AS `window`
  FROM `shop`.`orders_changes` AS `orders`
) AS `q`
