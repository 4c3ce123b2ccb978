-- view
select user_id, tag from shop.clicks lateral view explode(tags) t as tag

-- state
SELECT
  `q`.`user_id` AS `user_id`,
  `q`.`tag_2` AS `tag_2`,
  xxhash64(`q`.`user_id`, `q`.`tag_2`) AS `__ivm_hash`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `clicks`.`user_id` AS `user_id`,
    `generated`.`tag` AS `tag_2`,
    COUNT(*) AS `__ivm_count`
  FROM `shop`.`clicks` VERSION AS OF 9 AS `clicks`
  LATERAL VIEW
  explode(`clicks`.`tags`) generated AS `tag`
  GROUP BY
    `clicks`.`user_id`,
    `generated`.`tag`
) AS `q`

-- visible
SELECT
  `state`.`user_id` AS `user_id`,
  `state`.`tag_2` AS `tag_2`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- merge of inserts in clicks
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q`.`user_id` AS `user_id`,
  `q`.`tag_2` AS `tag_2`,
  `q`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q`.`user_id`, `q`.`tag_2`) AS `__ivm_hash`
FROM (
  SELECT
    `clicks`.`user_id` AS `user_id`,
    `generated`.`tag` AS `tag_2`,
    COALESCE(SUM(IF(`clicks`.`_change_type` IN ('insert', 'update_postimage'), 1, -1)), 0) AS `__ivm_count`
  FROM table_changes('`shop`.`clicks`', 8, 9) AS `clicks`
  LATERAL VIEW
  explode(`clicks`.`tags`) generated AS `tag`
  GROUP BY
    `clicks`.`user_id`,
    `generated`.`tag`
) AS `q`
WHERE
  `q`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`user_id` IS NOT DISTINCT FROM `s`.`user_id` AND `t`.`tag_2` IS NOT DISTINCT FROM `s`.`tag_2`
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `user_id`, `tag_2`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`user_id`,
  `s`.`tag_2`,
  `s`.`__ivm_hash`
)

-- merge of changes in clicks
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q`.`user_id` AS `user_id`,
  `q`.`tag_2` AS `tag_2`,
  `q`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q`.`user_id`, `q`.`tag_2`) AS `__ivm_hash`
FROM (
  SELECT
    `clicks`.`user_id` AS `user_id`,
    `generated`.`tag` AS `tag_2`,
    COALESCE(SUM(IF(`clicks`.`_change_type` IN ('insert', 'update_postimage'), 1, -1)), 0) AS `__ivm_count`
  FROM table_changes('`shop`.`clicks`', 8, 9) AS `clicks`
  LATERAL VIEW
  explode(`clicks`.`tags`) generated AS `tag`
  GROUP BY
    `clicks`.`user_id`,
    `generated`.`tag`
) AS `q`
WHERE
  `q`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`user_id` IS NOT DISTINCT FROM `s`.`user_id` AND `t`.`tag_2` IS NOT DISTINCT FROM `s`.`tag_2`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `user_id`, `tag_2`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`user_id`,
  `s`.`tag_2`,
  `s`.`__ivm_hash`
)
