-- view
select o.order_id, c.segment from shop.orders o join shop.customers c on o.customer_id = c.customer_id

-- state
SELECT
  `q`.`order_id` AS `order_id`,
  `q`.`segment` AS `segment`,
  xxhash64(`q`.`order_id`, `q`.`segment`) AS `__ivm_hash`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `o`.`order_id` AS `order_id`,
    `c`.`segment` AS `segment`,
    COUNT(*) AS `__ivm_count`
  FROM `shop`.`orders` VERSION AS OF 9 AS `o`
  JOIN `shop`.`customers` VERSION AS OF 9 AS `c`
    ON `o`.`customer_id` = `c`.`customer_id`
  GROUP BY
    `o`.`order_id`,
    `c`.`segment`
) AS `q`

-- visible
SELECT
  `state`.`order_id` AS `order_id`,
  `state`.`segment` AS `segment`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- merge of inserts in customers
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q`.`order_id` AS `order_id`,
  `q`.`segment` AS `segment`,
  `q`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q`.`order_id`, `q`.`segment`) AS `__ivm_hash`
FROM (
  SELECT
    `o`.`order_id` AS `order_id`,
    `c`.`segment` AS `segment`,
    COALESCE(SUM(IF(`c`.`_change_type` IN ('insert', 'update_postimage'), 1, -1)), 0) AS `__ivm_count`
  FROM table_changes('`shop`.`customers`', 8, 9) AS `c`
  JOIN `shop`.`orders` VERSION AS OF 9 AS `o`
    ON `o`.`customer_id` = `c`.`customer_id`
  GROUP BY
    `o`.`order_id`,
    `c`.`segment`
) AS `q`
WHERE
  `q`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`order_id` IS NOT DISTINCT FROM `s`.`order_id` AND `t`.`segment` IS NOT DISTINCT FROM `s`.`segment`
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `order_id`, `segment`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`order_id`,
  `s`.`segment`,
  `s`.`__ivm_hash`
)

-- merge of inserts in orders
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q`.`order_id` AS `order_id`,
  `q`.`segment` AS `segment`,
  `q`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q`.`order_id`, `q`.`segment`) AS `__ivm_hash`
FROM (
  SELECT
    `o`.`order_id` AS `order_id`,
    `c`.`segment` AS `segment`,
    COALESCE(SUM(IF(`o`.`_change_type` IN ('insert', 'update_postimage'), 1, -1)), 0) AS `__ivm_count`
  FROM table_changes('`shop`.`orders`', 8, 9) AS `o`
  JOIN `shop`.`customers` VERSION AS OF 9 AS `c`
    ON `o`.`customer_id` = `c`.`customer_id`
  GROUP BY
    `o`.`order_id`,
    `c`.`segment`
) AS `q`
WHERE
  `q`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`order_id` IS NOT DISTINCT FROM `s`.`order_id` AND `t`.`segment` IS NOT DISTINCT FROM `s`.`segment`
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `order_id`, `segment`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`order_id`,
  `s`.`segment`,
  `s`.`__ivm_hash`
)

-- merge of changes in orders
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q`.`order_id` AS `order_id`,
  `q`.`segment` AS `segment`,
  `q`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q`.`order_id`, `q`.`segment`) AS `__ivm_hash`
FROM (
  SELECT
    `o`.`order_id` AS `order_id`,
    `c`.`segment` AS `segment`,
    COALESCE(SUM(IF(`o`.`_change_type` IN ('insert', 'update_postimage'), 1, -1)), 0) AS `__ivm_count`
  FROM table_changes('`shop`.`orders`', 8, 9) AS `o`
  JOIN `shop`.`customers` VERSION AS OF 9 AS `c`
    ON `o`.`customer_id` = `c`.`customer_id`
  GROUP BY
    `o`.`order_id`,
    `c`.`segment`
) AS `q`
WHERE
  `q`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`order_id` IS NOT DISTINCT FROM `s`.`order_id` AND `t`.`segment` IS NOT DISTINCT FROM `s`.`segment`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `order_id`, `segment`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`order_id`,
  `s`.`segment`,
  `s`.`__ivm_hash`
)
