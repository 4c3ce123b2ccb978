-- view
select distinct customer_id from shop.orders

-- state
SELECT
  `q`.`customer_id` AS `customer_id`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `orders`.`customer_id` AS `customer_id`,
    COUNT(1) AS `__ivm_count`
  FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
  GROUP BY
    `orders`.`customer_id`
) AS `q`

-- visible
SELECT
  `state`.`customer_id` AS `customer_id`
FROM `shop`.`v__ivm` AS `state`

-- merge of inserts in orders
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q`.`customer_id` AS `customer_id`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `orders`.`customer_id` AS `customer_id`,
    COALESCE(SUM(`orders`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `customer_id`,
      IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`orders`', 8, 9)
  ) AS `orders`
  GROUP BY
    `orders`.`customer_id`
) AS `q`
WHERE
  `q`.`__ivm_count` <> 0
) as s
on `t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id`
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `customer_id`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`customer_id`
)

-- merge of changes in orders
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q`.`customer_id` AS `customer_id`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `orders`.`customer_id` AS `customer_id`,
    COALESCE(SUM(`orders`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `customer_id`,
      IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`orders`', 8, 9)
  ) AS `orders`
  GROUP BY
    `orders`.`customer_id`
) AS `q`
WHERE
  `q`.`__ivm_count` <> 0
) as s
on `t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `customer_id`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`customer_id`
)
