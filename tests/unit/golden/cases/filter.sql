-- view
select order_id, amount from shop.orders where amount > 10

-- state
SELECT
  `q`.`order_id` AS `order_id`,
  `q`.`amount` AS `amount`,
  xxhash64(`q`.`order_id`, `q`.`amount`) AS `__ivm_hash`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `orders`.`order_id` AS `order_id`,
    `orders`.`amount` AS `amount`,
    COUNT(*) AS `__ivm_count`
  FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
  WHERE
    `orders`.`amount` > 10
  GROUP BY
    `orders`.`order_id`,
    `orders`.`amount`
) AS `q`

-- visible
SELECT
  `state`.`order_id` AS `order_id`,
  `state`.`amount` AS `amount`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- merge of inserts in orders
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q`.`order_id` AS `order_id`,
  `q`.`amount` AS `amount`,
  `q`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q`.`order_id`, `q`.`amount`) AS `__ivm_hash`
FROM (
  SELECT
    `orders`.`order_id` AS `order_id`,
    `orders`.`amount` AS `amount`,
    COALESCE(SUM(IF(`orders`.`_change_type` IN ('insert', 'update_postimage'), 1, -1)), 0) AS `__ivm_count`
  FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
  WHERE
    `orders`.`amount` > 10
  GROUP BY
    `orders`.`order_id`,
    `orders`.`amount`
) AS `q`
WHERE
  `q`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`order_id` IS NOT DISTINCT FROM `s`.`order_id` AND `t`.`amount` IS NOT DISTINCT FROM `s`.`amount`
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `order_id`, `amount`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`order_id`,
  `s`.`amount`,
  `s`.`__ivm_hash`
)

-- merge of changes in orders
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q`.`order_id` AS `order_id`,
  `q`.`amount` AS `amount`,
  `q`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q`.`order_id`, `q`.`amount`) AS `__ivm_hash`
FROM (
  SELECT
    `orders`.`order_id` AS `order_id`,
    `orders`.`amount` AS `amount`,
    COALESCE(SUM(IF(`orders`.`_change_type` IN ('insert', 'update_postimage'), 1, -1)), 0) AS `__ivm_count`
  FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
  WHERE
    `orders`.`amount` > 10
  GROUP BY
    `orders`.`order_id`,
    `orders`.`amount`
) AS `q`
WHERE
  `q`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`order_id` IS NOT DISTINCT FROM `s`.`order_id` AND `t`.`amount` IS NOT DISTINCT FROM `s`.`amount`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `order_id`, `amount`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`order_id`,
  `s`.`amount`,
  `s`.`__ivm_hash`
)
