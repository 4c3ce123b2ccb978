-- view
select user_id, tag from shop.clicks lateral view explode(tags) t as tag

-- state
SELECT
  `clicks`.`user_id` AS `user_id`,
  `generated`.`tag` AS `tag_2`,
  CAST(1 AS BIGINT) AS `__ivm_count`
FROM `shop`.`clicks` VERSION AS OF 9 AS `clicks`
LATERAL VIEW
explode(`clicks`.`tags`) generated AS `tag`

-- visible
SELECT
  `state`.`user_id` AS `user_id`,
  `state`.`tag_2` AS `tag_2`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- insert of inserts in clicks
insert into `shop`.`v__ivm` (`user_id`, `tag_2`, `__ivm_count`)
SELECT
  `q`.`user_id` AS `user_id`,
  `q`.`tag_2` AS `tag_2`,
  CASE
    WHEN `q`.`__ivm_count` < 0
    THEN CAST(raise_error(
      'ivm: the state does not fit its sources (a negative count); run with --full-refresh'
    ) AS BIGINT)
    ELSE `q`.`__ivm_count`
  END AS `__ivm_count`
FROM (
  SELECT
    `clicks`.`user_id` AS `user_id`,
    `generated`.`tag` AS `tag_2`,
    COALESCE(SUM(`clicks`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `user_id`,
      `tags`,
      IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`clicks`', 8, 9)
  ) AS `clicks`
  LATERAL VIEW
  explode(`clicks`.`tags`) generated AS `tag`
  GROUP BY
    `clicks`.`user_id`,
    `generated`.`tag`
) AS `q`
WHERE
  `q`.`__ivm_count` <> 0 AND COALESCE(`q`.`__ivm_count`, 0) <> 0

-- merge of changes in clicks
cache table ivm_materialized_change as
SELECT
  `q`.`user_id` AS `user_id`,
  `q`.`tag_2` AS `tag_2`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `clicks`.`user_id` AS `user_id`,
    `generated`.`tag` AS `tag_2`,
    COALESCE(SUM(`clicks`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `user_id`,
      `tags`,
      IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`clicks`', 8, 9)
  ) AS `clicks`
  LATERAL VIEW
  explode(`clicks`.`tags`) generated AS `tag`
  GROUP BY
    `clicks`.`user_id`,
    `generated`.`tag`
) AS `q`
WHERE
  `q`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`user_id` AS `user_id`,
  `q_3`.`tag_2` AS `tag_2`,
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
    `q_2`.`user_id` AS `user_id`,
    `q_2`.`tag_2` AS `tag_2`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`user_id` AS `user_id`,
      `ivm_materialized_change`.`tag_2` AS `tag_2`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`user_id` AS `user_id`,
      `state`.`tag_2` AS `tag_2`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`user_id` AS `__ivm_lost_user_id`,
        `ivm_materialized_change`.`tag_2` AS `__ivm_lost_tag_2`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`user_id` IS NOT DISTINCT FROM `q`.`__ivm_lost_user_id`
      AND `state`.`tag_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_tag_2`
  ) AS `q_2`
  GROUP BY
    `q_2`.`user_id`,
    `q_2`.`tag_2`
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
on `s`.`__ivm_gone` AND (`t`.`user_id` IS NOT DISTINCT FROM `s`.`user_id` AND `t`.`tag_2` IS NOT DISTINCT FROM `s`.`tag_2`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`user_id`, `tag_2`, `__ivm_count`) values (
  `s`.`user_id`,
  `s`.`tag_2`,
  `s`.`__ivm_count`
)
