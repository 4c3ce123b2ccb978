-- view
select * from (select user_id, seconds from clicks) unpivot (value for kind in (user_id, seconds as s))

-- types
kind string
value bigint

-- state
SELECT
  `q`.`kind_2` AS `kind_2`,
  `q`.`value_2` AS `value_2`,
  xxhash64(`q`.`kind_2`, `q`.`value_2`) AS `__ivm_hash`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    CASE
      WHEN `generated`.`__ivm_part_of_kind` = 0
      THEN 'user_id'
      WHEN `generated`.`__ivm_part_of_kind` = 1
      THEN 's'
    END AS `kind_2`,
    CASE
      WHEN `generated`.`__ivm_part_of_kind` = 0
      THEN `clicks`.`user_id`
      WHEN `generated`.`__ivm_part_of_kind` = 1
      THEN `clicks`.`seconds`
    END AS `value_2`,
    COUNT(*) AS `__ivm_count`
  FROM `shop`.`clicks` VERSION AS OF 9 AS `clicks`
  LATERAL VIEW
  EXPLODE(ARRAY(0, 1)) generated AS `__ivm_part_of_kind`
  WHERE
    NOT CASE
      WHEN `generated`.`__ivm_part_of_kind` = 0
      THEN `clicks`.`user_id`
      WHEN `generated`.`__ivm_part_of_kind` = 1
      THEN `clicks`.`seconds`
    END IS NULL
  GROUP BY
    CASE
      WHEN `generated`.`__ivm_part_of_kind` = 0
      THEN 'user_id'
      WHEN `generated`.`__ivm_part_of_kind` = 1
      THEN 's'
    END,
    CASE
      WHEN `generated`.`__ivm_part_of_kind` = 0
      THEN `clicks`.`user_id`
      WHEN `generated`.`__ivm_part_of_kind` = 1
      THEN `clicks`.`seconds`
    END
) AS `q`

-- visible
SELECT
  `state`.`kind_2` AS `kind_2`,
  `state`.`value_2` AS `value_2`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- merge of inserts in clicks
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q`.`kind_2` AS `kind_2`,
  `q`.`value_2` AS `value_2`,
  `q`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q`.`kind_2`, `q`.`value_2`) AS `__ivm_hash`
FROM (
  SELECT
    CASE
      WHEN `generated`.`__ivm_part_of_kind` = 0
      THEN 'user_id'
      WHEN `generated`.`__ivm_part_of_kind` = 1
      THEN 's'
    END AS `kind_2`,
    CASE
      WHEN `generated`.`__ivm_part_of_kind` = 0
      THEN `clicks`.`user_id`
      WHEN `generated`.`__ivm_part_of_kind` = 1
      THEN `clicks`.`seconds`
    END AS `value_2`,
    COALESCE(SUM(IF(`clicks`.`_change_type` IN ('insert', 'update_postimage'), 1, -1)), 0) AS `__ivm_count`
  FROM table_changes('`shop`.`clicks`', 8, 9) AS `clicks`
  LATERAL VIEW
  EXPLODE(ARRAY(0, 1)) generated AS `__ivm_part_of_kind`
  WHERE
    NOT CASE
      WHEN `generated`.`__ivm_part_of_kind` = 0
      THEN `clicks`.`user_id`
      WHEN `generated`.`__ivm_part_of_kind` = 1
      THEN `clicks`.`seconds`
    END IS NULL
  GROUP BY
    CASE
      WHEN `generated`.`__ivm_part_of_kind` = 0
      THEN 'user_id'
      WHEN `generated`.`__ivm_part_of_kind` = 1
      THEN 's'
    END,
    CASE
      WHEN `generated`.`__ivm_part_of_kind` = 0
      THEN `clicks`.`user_id`
      WHEN `generated`.`__ivm_part_of_kind` = 1
      THEN `clicks`.`seconds`
    END
) AS `q`
WHERE
  `q`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`kind_2` IS NOT DISTINCT FROM `s`.`kind_2` AND `t`.`value_2` IS NOT DISTINCT FROM `s`.`value_2`
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `kind_2`, `value_2`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`kind_2`,
  `s`.`value_2`,
  `s`.`__ivm_hash`
)

-- merge of changes in clicks
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q`.`kind_2` AS `kind_2`,
  `q`.`value_2` AS `value_2`,
  `q`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q`.`kind_2`, `q`.`value_2`) AS `__ivm_hash`
FROM (
  SELECT
    CASE
      WHEN `generated`.`__ivm_part_of_kind` = 0
      THEN 'user_id'
      WHEN `generated`.`__ivm_part_of_kind` = 1
      THEN 's'
    END AS `kind_2`,
    CASE
      WHEN `generated`.`__ivm_part_of_kind` = 0
      THEN `clicks`.`user_id`
      WHEN `generated`.`__ivm_part_of_kind` = 1
      THEN `clicks`.`seconds`
    END AS `value_2`,
    COALESCE(SUM(IF(`clicks`.`_change_type` IN ('insert', 'update_postimage'), 1, -1)), 0) AS `__ivm_count`
  FROM table_changes('`shop`.`clicks`', 8, 9) AS `clicks`
  LATERAL VIEW
  EXPLODE(ARRAY(0, 1)) generated AS `__ivm_part_of_kind`
  WHERE
    NOT CASE
      WHEN `generated`.`__ivm_part_of_kind` = 0
      THEN `clicks`.`user_id`
      WHEN `generated`.`__ivm_part_of_kind` = 1
      THEN `clicks`.`seconds`
    END IS NULL
  GROUP BY
    CASE
      WHEN `generated`.`__ivm_part_of_kind` = 0
      THEN 'user_id'
      WHEN `generated`.`__ivm_part_of_kind` = 1
      THEN 's'
    END,
    CASE
      WHEN `generated`.`__ivm_part_of_kind` = 0
      THEN `clicks`.`user_id`
      WHEN `generated`.`__ivm_part_of_kind` = 1
      THEN `clicks`.`seconds`
    END
) AS `q`
WHERE
  `q`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`kind_2` IS NOT DISTINCT FROM `s`.`kind_2` AND `t`.`value_2` IS NOT DISTINCT FROM `s`.`value_2`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `kind_2`, `value_2`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`kind_2`,
  `s`.`value_2`,
  `s`.`__ivm_hash`
)
