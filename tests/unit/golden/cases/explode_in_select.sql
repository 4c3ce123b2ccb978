-- view
select c.user_id, explode(c.tags) as tag from shop.clicks c where c.seconds > 3

-- state
SELECT
  `q`.`user_id` AS `user_id`,
  `q`.`tag` AS `tag`,
  xxhash64(`q`.`user_id`, `q`.`tag`) AS `__ivm_hash`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `c`.`user_id` AS `user_id`,
    `generated`.`ivm_generated_0_0` AS `tag`,
    COUNT(*) AS `__ivm_count`
  FROM `shop`.`clicks` VERSION AS OF 9 AS `c`
  LATERAL VIEW
  explode(`c`.`tags`) generated AS `ivm_generated_0_0`
  WHERE
    `c`.`seconds` > 3
  GROUP BY
    `c`.`user_id`,
    `generated`.`ivm_generated_0_0`
) AS `q`

-- visible
SELECT
  `state`.`user_id` AS `user_id`,
  `state`.`tag` AS `tag`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- merge of inserts in clicks
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q`.`user_id` AS `user_id`,
  `q`.`tag` AS `tag`,
  `q`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q`.`user_id`, `q`.`tag`) AS `__ivm_hash`
FROM (
  SELECT
    `c`.`user_id` AS `user_id`,
    `generated`.`ivm_generated_0_0` AS `tag`,
    COALESCE(SUM(IF(`c`.`_change_type` IN ('insert', 'update_postimage'), 1, -1)), 0) AS `__ivm_count`
  FROM table_changes('`shop`.`clicks`', 8, 9) AS `c`
  LATERAL VIEW
  explode(`c`.`tags`) generated AS `ivm_generated_0_0`
  WHERE
    `c`.`seconds` > 3
  GROUP BY
    `c`.`user_id`,
    `generated`.`ivm_generated_0_0`
) AS `q`
WHERE
  `q`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`user_id` IS NOT DISTINCT FROM `s`.`user_id` AND `t`.`tag` IS NOT DISTINCT FROM `s`.`tag`
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `user_id`, `tag`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`user_id`,
  `s`.`tag`,
  `s`.`__ivm_hash`
)

-- merge of changes in clicks
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q`.`user_id` AS `user_id`,
  `q`.`tag` AS `tag`,
  `q`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q`.`user_id`, `q`.`tag`) AS `__ivm_hash`
FROM (
  SELECT
    `c`.`user_id` AS `user_id`,
    `generated`.`ivm_generated_0_0` AS `tag`,
    COALESCE(SUM(IF(`c`.`_change_type` IN ('insert', 'update_postimage'), 1, -1)), 0) AS `__ivm_count`
  FROM table_changes('`shop`.`clicks`', 8, 9) AS `c`
  LATERAL VIEW
  explode(`c`.`tags`) generated AS `ivm_generated_0_0`
  WHERE
    `c`.`seconds` > 3
  GROUP BY
    `c`.`user_id`,
    `generated`.`ivm_generated_0_0`
) AS `q`
WHERE
  `q`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`user_id` IS NOT DISTINCT FROM `s`.`user_id` AND `t`.`tag` IS NOT DISTINCT FROM `s`.`tag`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `user_id`, `tag`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`user_id`,
  `s`.`tag`,
  `s`.`__ivm_hash`
)
