-- view
select id, amount from shop.big_orders where amount < 1000

-- state
SELECT
  `q`.`id_2` AS `id_2`,
  `q`.`amount_3` AS `amount_3`,
  xxhash64(`q`.`id_2`, `q`.`amount_3`) AS `__ivm_hash`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `orders`.`order_id` AS `id_2`,
    `orders`.`amount` AS `amount_3`,
    COUNT(*) AS `__ivm_count`
  FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
  WHERE
    `orders`.`amount` > 100 AND `orders`.`amount` < 1000
  GROUP BY
    `orders`.`order_id`,
    `orders`.`amount`
) AS `q`

-- visible
SELECT
  `state`.`id_2` AS `id_2`,
  `state`.`amount_3` AS `amount_3`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- merge of inserts in orders
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q`.`id_2` AS `id_2`,
  `q`.`amount_3` AS `amount_3`,
  `q`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q`.`id_2`, `q`.`amount_3`) AS `__ivm_hash`
FROM (
  SELECT
    `orders`.`order_id` AS `id_2`,
    `orders`.`amount` AS `amount_3`,
    COALESCE(SUM(IF(`orders`.`_change_type` IN ('insert', 'update_postimage'), 1, -1)), 0) AS `__ivm_count`
  FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
  WHERE
    `orders`.`amount` > 100 AND `orders`.`amount` < 1000
  GROUP BY
    `orders`.`order_id`,
    `orders`.`amount`
) AS `q`
WHERE
  `q`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`id_2` IS NOT DISTINCT FROM `s`.`id_2` AND `t`.`amount_3` IS NOT DISTINCT FROM `s`.`amount_3`
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `id_2`, `amount_3`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`id_2`,
  `s`.`amount_3`,
  `s`.`__ivm_hash`
)

-- merge of changes in orders
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q`.`id_2` AS `id_2`,
  `q`.`amount_3` AS `amount_3`,
  `q`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q`.`id_2`, `q`.`amount_3`) AS `__ivm_hash`
FROM (
  SELECT
    `orders`.`order_id` AS `id_2`,
    `orders`.`amount` AS `amount_3`,
    COALESCE(SUM(IF(`orders`.`_change_type` IN ('insert', 'update_postimage'), 1, -1)), 0) AS `__ivm_count`
  FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
  WHERE
    `orders`.`amount` > 100 AND `orders`.`amount` < 1000
  GROUP BY
    `orders`.`order_id`,
    `orders`.`amount`
) AS `q`
WHERE
  `q`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`id_2` IS NOT DISTINCT FROM `s`.`id_2` AND `t`.`amount_3` IS NOT DISTINCT FROM `s`.`amount_3`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `id_2`, `amount_3`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`id_2`,
  `s`.`amount_3`,
  `s`.`__ivm_hash`
)
