-- view
select customer_id from shop.orders union all select user_id from shop.clicks

-- state
SELECT
  `q_2`.`customer_id_2` AS `customer_id_2`,
  xxhash64(`q_2`.`customer_id_2`) AS `__ivm_hash`,
  `q_2`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q`.`customer_id_2` AS `customer_id_2`,
    COUNT(*) AS `__ivm_count`
  FROM (
    SELECT
      `orders`.`customer_id` AS `customer_id_2`
    FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
    UNION ALL
    SELECT
      `clicks`.`user_id` AS `customer_id_2`
    FROM `shop`.`clicks` VERSION AS OF 9 AS `clicks`
  ) AS `q`
  GROUP BY
    `q`.`customer_id_2`
) AS `q_2`

-- visible
SELECT
  `state`.`customer_id_2` AS `customer_id_2`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- merge of inserts in clicks
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_2`.`customer_id_2` AS `customer_id_2`,
  `q_2`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q_2`.`customer_id_2`) AS `__ivm_hash`
FROM (
  SELECT
    `q`.`customer_id_2` AS `customer_id_2`,
    COALESCE(SUM(`q`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `orders`.`customer_id` AS `customer_id_2`,
      0 AS `__ivm_weight`
    FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
    WHERE
      FALSE
    UNION ALL
    SELECT
      `clicks`.`user_id` AS `customer_id_2`,
      IF(`clicks`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`clicks`', 8, 9) AS `clicks`
  ) AS `q`
  GROUP BY
    `q`.`customer_id_2`
) AS `q_2`
WHERE
  `q_2`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`customer_id_2` IS NOT DISTINCT FROM `s`.`customer_id_2`
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `customer_id_2`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`customer_id_2`,
  `s`.`__ivm_hash`
)

-- merge of inserts in orders
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_2`.`customer_id_2` AS `customer_id_2`,
  `q_2`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q_2`.`customer_id_2`) AS `__ivm_hash`
FROM (
  SELECT
    `q`.`customer_id_2` AS `customer_id_2`,
    COALESCE(SUM(`q`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `orders`.`customer_id` AS `customer_id_2`,
      IF(`orders`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
    UNION ALL
    SELECT
      `clicks`.`user_id` AS `customer_id_2`,
      0 AS `__ivm_weight`
    FROM `shop`.`clicks` VERSION AS OF 9 AS `clicks`
    WHERE
      FALSE
  ) AS `q`
  GROUP BY
    `q`.`customer_id_2`
) AS `q_2`
WHERE
  `q_2`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`customer_id_2` IS NOT DISTINCT FROM `s`.`customer_id_2`
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `customer_id_2`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`customer_id_2`,
  `s`.`__ivm_hash`
)

-- merge of changes in orders
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_2`.`customer_id_2` AS `customer_id_2`,
  `q_2`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q_2`.`customer_id_2`) AS `__ivm_hash`
FROM (
  SELECT
    `q`.`customer_id_2` AS `customer_id_2`,
    COALESCE(SUM(`q`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `orders`.`customer_id` AS `customer_id_2`,
      IF(`orders`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
    UNION ALL
    SELECT
      `clicks`.`user_id` AS `customer_id_2`,
      0 AS `__ivm_weight`
    FROM `shop`.`clicks` VERSION AS OF 9 AS `clicks`
    WHERE
      FALSE
  ) AS `q`
  GROUP BY
    `q`.`customer_id_2`
) AS `q_2`
WHERE
  `q_2`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`customer_id_2` IS NOT DISTINCT FROM `s`.`customer_id_2`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `customer_id_2`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`customer_id_2`,
  `s`.`__ivm_hash`
)
