-- view
select customer_id from orders
union all select customer_id from customers
union all select 0
order by customer_id desc
limit 5

-- state
SELECT
  `q_3`.`customer_id_3` AS `customer_id_3`,
  xxhash64(`q_3`.`customer_id_3`) AS `__ivm_hash`,
  `q_3`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q_2`.`customer_id_3` AS `customer_id_3`,
    COUNT(*) AS `__ivm_count`
  FROM (
    SELECT
      `orders`.`customer_id` AS `customer_id_3`
    FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
    UNION ALL
    SELECT
      `customers`.`customer_id` AS `customer_id_3`
    FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
    UNION ALL
    SELECT
      0 AS `customer_id_3`
    FROM (
      SELECT
        0 AS nothing
    ) AS `q`
  ) AS `q_2`
  GROUP BY
    `q_2`.`customer_id_3`
) AS `q_3`

-- visible
SELECT
  `state`.`customer_id_3` AS `customer_id_3`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`
ORDER BY
  `customer_id_3` DESC
LIMIT 5

-- merge of inserts in customers
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`customer_id_3` AS `customer_id_3`,
  `q_3`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q_3`.`customer_id_3`) AS `__ivm_hash`
FROM (
  SELECT
    `q_2`.`customer_id_3` AS `customer_id_3`,
    COALESCE(SUM(`q_2`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `orders`.`customer_id` AS `customer_id_3`,
      0 AS `__ivm_weight`
    FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
    WHERE
      FALSE
    UNION ALL
    SELECT
      `customers`.`customer_id` AS `customer_id_3`,
      IF(`customers`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`customers`', 8, 9) AS `customers`
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
  ) AS `q_2`
  GROUP BY
    `q_2`.`customer_id_3`
) AS `q_3`
WHERE
  `q_3`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`customer_id_3` IS NOT DISTINCT FROM `s`.`customer_id_3`
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `customer_id_3`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`customer_id_3`,
  `s`.`__ivm_hash`
)

-- merge of inserts in orders
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`customer_id_3` AS `customer_id_3`,
  `q_3`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q_3`.`customer_id_3`) AS `__ivm_hash`
FROM (
  SELECT
    `q_2`.`customer_id_3` AS `customer_id_3`,
    COALESCE(SUM(`q_2`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `orders`.`customer_id` AS `customer_id_3`,
      IF(`orders`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
    UNION ALL
    SELECT
      `customers`.`customer_id` AS `customer_id_3`,
      0 AS `__ivm_weight`
    FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
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
  ) AS `q_2`
  GROUP BY
    `q_2`.`customer_id_3`
) AS `q_3`
WHERE
  `q_3`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`customer_id_3` IS NOT DISTINCT FROM `s`.`customer_id_3`
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `customer_id_3`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`customer_id_3`,
  `s`.`__ivm_hash`
)

-- merge of changes in orders
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`customer_id_3` AS `customer_id_3`,
  `q_3`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q_3`.`customer_id_3`) AS `__ivm_hash`
FROM (
  SELECT
    `q_2`.`customer_id_3` AS `customer_id_3`,
    COALESCE(SUM(`q_2`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `orders`.`customer_id` AS `customer_id_3`,
      IF(`orders`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
    UNION ALL
    SELECT
      `customers`.`customer_id` AS `customer_id_3`,
      0 AS `__ivm_weight`
    FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
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
  ) AS `q_2`
  GROUP BY
    `q_2`.`customer_id_3`
) AS `q_3`
WHERE
  `q_3`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`customer_id_3` IS NOT DISTINCT FROM `s`.`customer_id_3`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `customer_id_3`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`customer_id_3`,
  `s`.`__ivm_hash`
)
