-- view
select c.customer_id, v.label
from customers as c
join (values ('a', 'Alpha'), ('b', 'Beta')) as v (code, label) on v.code = c.segment

-- types
label string

-- state
SELECT
  `q`.`customer_id` AS `customer_id`,
  `q`.`label_2` AS `label_2`,
  xxhash64(`q`.`customer_id`, `q`.`label_2`) AS `__ivm_hash`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `c`.`customer_id` AS `customer_id`,
    `v`.`label` AS `label_2`,
    COUNT(*) AS `__ivm_count`
  FROM `shop`.`customers` VERSION AS OF 9 AS `c`
  JOIN VALUES
    ('a', 'Alpha'),
    ('b', 'Beta') AS `v`(`code`, `label`)
    ON `v`.`code` = `c`.`segment`
  GROUP BY
    `c`.`customer_id`,
    `v`.`label`
) AS `q`

-- visible
SELECT
  `state`.`customer_id` AS `customer_id`,
  `state`.`label_2` AS `label_2`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- merge of inserts in customers
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q`.`customer_id` AS `customer_id`,
  `q`.`label_2` AS `label_2`,
  `q`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q`.`customer_id`, `q`.`label_2`) AS `__ivm_hash`
FROM (
  SELECT
    `c`.`customer_id` AS `customer_id`,
    `v`.`label` AS `label_2`,
    COALESCE(SUM(IF(`c`.`_change_type` IN ('insert', 'update_postimage'), 1, -1)), 0) AS `__ivm_count`
  FROM table_changes('`shop`.`customers`', 8, 9) AS `c`
  JOIN VALUES
    ('a', 'Alpha'),
    ('b', 'Beta') AS `v`(`code`, `label`)
    ON `v`.`code` = `c`.`segment`
  GROUP BY
    `c`.`customer_id`,
    `v`.`label`
) AS `q`
WHERE
  `q`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id` AND `t`.`label_2` IS NOT DISTINCT FROM `s`.`label_2`
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `customer_id`, `label_2`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`customer_id`,
  `s`.`label_2`,
  `s`.`__ivm_hash`
)

-- merge of changes in customers
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q`.`customer_id` AS `customer_id`,
  `q`.`label_2` AS `label_2`,
  `q`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q`.`customer_id`, `q`.`label_2`) AS `__ivm_hash`
FROM (
  SELECT
    `c`.`customer_id` AS `customer_id`,
    `v`.`label` AS `label_2`,
    COALESCE(SUM(IF(`c`.`_change_type` IN ('insert', 'update_postimage'), 1, -1)), 0) AS `__ivm_count`
  FROM table_changes('`shop`.`customers`', 8, 9) AS `c`
  JOIN VALUES
    ('a', 'Alpha'),
    ('b', 'Beta') AS `v`(`code`, `label`)
    ON `v`.`code` = `c`.`segment`
  GROUP BY
    `c`.`customer_id`,
    `v`.`label`
) AS `q`
WHERE
  `q`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id` AND `t`.`label_2` IS NOT DISTINCT FROM `s`.`label_2`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `customer_id`, `label_2`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`customer_id`,
  `s`.`label_2`,
  `s`.`__ivm_hash`
)
