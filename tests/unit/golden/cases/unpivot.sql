-- view
select * from (select user_id, seconds from clicks) unpivot (value for kind in (user_id, seconds as s))

-- types
kind string
value bigint

-- state
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
  CAST(1 AS BIGINT) AS `__ivm_count`
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

-- visible
SELECT
  `state`.`kind_2` AS `kind_2`,
  `state`.`value_2` AS `value_2`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- insert of inserts in clicks
insert into `shop`.`v__ivm` (`kind_2`, `value_2`, `__ivm_count`)
SELECT
  `q`.`kind_2` AS `kind_2`,
  `q`.`value_2` AS `value_2`,
  CASE
    WHEN `q`.`__ivm_count` < 0
    THEN CAST(raise_error(
      'ivm: the state does not fit its sources (a negative count); run with --full-refresh'
    ) AS BIGINT)
    ELSE `q`.`__ivm_count`
  END AS `__ivm_count`
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
    COALESCE(SUM(`clicks`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `user_id`,
      `seconds`,
      IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`clicks`', 8, 9)
  ) AS `clicks`
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
  `q`.`__ivm_count` <> 0 AND COALESCE(`q`.`__ivm_count`, 0) <> 0

-- merge of changes in clicks
cache table ivm_materialized_change as
SELECT
  `q`.`kind_2` AS `kind_2`,
  `q`.`value_2` AS `value_2`,
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
    COALESCE(SUM(`clicks`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `user_id`,
      `seconds`,
      IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`clicks`', 8, 9)
  ) AS `clicks`
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
  `q`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`kind_2` AS `kind_2`,
  `q_3`.`value_2` AS `value_2`,
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
    `q_2`.`kind_2` AS `kind_2`,
    `q_2`.`value_2` AS `value_2`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`kind_2` AS `kind_2`,
      `ivm_materialized_change`.`value_2` AS `value_2`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`kind_2` AS `kind_2`,
      `state`.`value_2` AS `value_2`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`kind_2` AS `__ivm_lost_kind_2`,
        `ivm_materialized_change`.`value_2` AS `__ivm_lost_value_2`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`kind_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_kind_2`
      AND `state`.`value_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_value_2`
  ) AS `q_2`
  GROUP BY
    `q_2`.`kind_2`,
    `q_2`.`value_2`
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
on `s`.`__ivm_gone` AND (`t`.`kind_2` IS NOT DISTINCT FROM `s`.`kind_2` AND `t`.`value_2` IS NOT DISTINCT FROM `s`.`value_2`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`kind_2`, `value_2`, `__ivm_count`) values (
  `s`.`kind_2`,
  `s`.`value_2`,
  `s`.`__ivm_count`
)
