-- view
select c.customer_id, v.label
from customers as c
join (values ('a', 'Alpha'), ('b', 'Beta')) as v (code, label) on v.code = c.segment

-- types
label string

-- state
SELECT
  `c`.`customer_id` AS `customer_id`,
  `v`.`label` AS `label_2`,
  CAST(1 AS BIGINT) AS `__ivm_count`
FROM `shop`.`customers` VERSION AS OF 9 AS `c`
JOIN VALUES
  ('a', 'Alpha'),
  ('b', 'Beta') AS `v`(`code`, `label`)
  ON `v`.`code` = `c`.`segment`

-- visible
SELECT
  `state`.`customer_id` AS `customer_id`,
  `state`.`label_2` AS `label_2`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- insert of inserts in customers
insert into `shop`.`v__ivm` (`customer_id`, `label_2`, `__ivm_count`)
SELECT
  `q`.`customer_id` AS `customer_id`,
  `q`.`label_2` AS `label_2`,
  CASE
    WHEN `q`.`__ivm_count` < 0
    THEN CAST(raise_error(
      'ivm: the state does not fit its sources (a negative count); run with --full-refresh'
    ) AS BIGINT)
    ELSE `q`.`__ivm_count`
  END AS `__ivm_count`
FROM (
  SELECT
    `c`.`customer_id` AS `customer_id`,
    `v`.`label` AS `label_2`,
    COALESCE(SUM(`c`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `customer_id`,
      `segment`,
      IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`customers`', 8, 9)
  ) AS `c`
  JOIN VALUES
    ('a', 'Alpha'),
    ('b', 'Beta') AS `v`(`code`, `label`)
    ON `v`.`code` = `c`.`segment`
  GROUP BY
    `c`.`customer_id`,
    `v`.`label`
) AS `q`
WHERE
  `q`.`__ivm_count` <> 0 AND COALESCE(`q`.`__ivm_count`, 0) <> 0

-- merge of changes in customers
cache table ivm_materialized_change as
SELECT
  `q`.`customer_id` AS `customer_id`,
  `q`.`label_2` AS `label_2`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `c`.`customer_id` AS `customer_id`,
    `v`.`label` AS `label_2`,
    COALESCE(SUM(`c`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `customer_id`,
      `segment`,
      IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`customers`', 8, 9)
  ) AS `c`
  JOIN VALUES
    ('a', 'Alpha'),
    ('b', 'Beta') AS `v`(`code`, `label`)
    ON `v`.`code` = `c`.`segment`
  GROUP BY
    `c`.`customer_id`,
    `v`.`label`
) AS `q`
WHERE
  `q`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`customer_id` AS `customer_id`,
  `q_3`.`label_2` AS `label_2`,
  CASE
    WHEN `q_3`.`__ivm_net` + `q_3`.`__ivm_found` < 0
    THEN CAST(raise_error(
      'ivm: the state does not fit its sources (a negative count); run with --full-refresh'
    ) AS BIGINT)
    ELSE `q_3`.`__ivm_net` + `q_3`.`__ivm_found`
  END AS `__ivm_count`,
  `generated`.`__ivm_gone` AS `__ivm_gone`
FROM (
  SELECT
    `q_2`.`customer_id` AS `customer_id`,
    `q_2`.`label_2` AS `label_2`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`customer_id` AS `customer_id`,
      `ivm_materialized_change`.`label_2` AS `label_2`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`customer_id` AS `customer_id`,
      `state`.`label_2` AS `label_2`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`customer_id` AS `__ivm_lost_customer_id`,
        `ivm_materialized_change`.`label_2` AS `__ivm_lost_label_2`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_lost_customer_id`
      AND `state`.`label_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_label_2`
  ) AS `q_2`
  GROUP BY
    `q_2`.`customer_id`,
    `q_2`.`label_2`
) AS `q_3`
LATERAL VIEW
EXPLODE(array(TRUE, FALSE)) generated AS `__ivm_gone`
WHERE
  IF(
    `generated`.`__ivm_gone`,
    `q_3`.`__ivm_net` < 0,
    CASE
      WHEN `q_3`.`__ivm_net` + `q_3`.`__ivm_found` < 0
      THEN CAST(raise_error(
        'ivm: the state does not fit its sources (a negative count); run with --full-refresh'
      ) AS BIGINT)
      ELSE `q_3`.`__ivm_net` + `q_3`.`__ivm_found`
    END > 0
  )
) as s
on `s`.`__ivm_gone` AND (`t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id` AND `t`.`label_2` IS NOT DISTINCT FROM `s`.`label_2`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`customer_id`, `label_2`, `__ivm_count`) values (
  `s`.`customer_id`,
  `s`.`label_2`,
  `s`.`__ivm_count`
)
