-- view
select c.user_id, explode(c.tags) as tag from shop.clicks c where c.seconds > 3

-- state
SELECT
  `c`.`user_id` AS `user_id`,
  `generated`.`ivm_generated_0_0` AS `tag`,
  CAST(1 AS BIGINT) AS `__ivm_count`
FROM `shop`.`clicks` VERSION AS OF 9 AS `c`
LATERAL VIEW
explode(`c`.`tags`) generated AS `ivm_generated_0_0`
WHERE
  `c`.`seconds` > 3

-- visible
SELECT
  `state`.`user_id` AS `user_id`,
  `state`.`tag` AS `tag`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- insert of inserts in clicks
insert into `shop`.`v__ivm` (`user_id`, `tag`, `__ivm_count`)
SELECT
  `q`.`user_id` AS `user_id`,
  `q`.`tag` AS `tag`,
  CASE
    WHEN `q`.`__ivm_count` < 0
    THEN CAST(raise_error(
      'ivm: the state does not fit its sources (a negative count); run with --full-refresh'
    ) AS BIGINT)
    ELSE `q`.`__ivm_count`
  END AS `__ivm_count`
FROM (
  SELECT
    `c`.`user_id` AS `user_id`,
    `generated`.`ivm_generated_0_0` AS `tag`,
    COALESCE(SUM(`c`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `user_id`,
      `tags`,
      `seconds`,
      IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`clicks`', 8, 9)
  ) AS `c`
  LATERAL VIEW
  explode(`c`.`tags`) generated AS `ivm_generated_0_0`
  WHERE
    `c`.`seconds` > 3
  GROUP BY
    `c`.`user_id`,
    `generated`.`ivm_generated_0_0`
) AS `q`
WHERE
  `q`.`__ivm_count` <> 0 AND COALESCE(`q`.`__ivm_count`, 0) <> 0

-- merge of changes in clicks
cache table ivm_materialized_change as
SELECT
  `q`.`user_id` AS `user_id`,
  `q`.`tag` AS `tag`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `c`.`user_id` AS `user_id`,
    `generated`.`ivm_generated_0_0` AS `tag`,
    COALESCE(SUM(`c`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `user_id`,
      `tags`,
      `seconds`,
      IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`clicks`', 8, 9)
  ) AS `c`
  LATERAL VIEW
  explode(`c`.`tags`) generated AS `ivm_generated_0_0`
  WHERE
    `c`.`seconds` > 3
  GROUP BY
    `c`.`user_id`,
    `generated`.`ivm_generated_0_0`
) AS `q`
WHERE
  `q`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`user_id` AS `user_id`,
  `q_3`.`tag` AS `tag`,
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
    `q_2`.`tag` AS `tag`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`user_id` AS `user_id`,
      `ivm_materialized_change`.`tag` AS `tag`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`user_id` AS `user_id`,
      `state`.`tag` AS `tag`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`user_id` AS `__ivm_lost_user_id`,
        `ivm_materialized_change`.`tag` AS `__ivm_lost_tag`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`user_id` IS NOT DISTINCT FROM `q`.`__ivm_lost_user_id`
      AND `state`.`tag` IS NOT DISTINCT FROM `q`.`__ivm_lost_tag`
  ) AS `q_2`
  GROUP BY
    `q_2`.`user_id`,
    `q_2`.`tag`
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
on `s`.`__ivm_gone` AND (`t`.`user_id` IS NOT DISTINCT FROM `s`.`user_id` AND `t`.`tag` IS NOT DISTINCT FROM `s`.`tag`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`user_id`, `tag`, `__ivm_count`) values (
  `s`.`user_id`,
  `s`.`tag`,
  `s`.`__ivm_count`
)
