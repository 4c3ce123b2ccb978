-- view
select user_id, avg(seconds) as mean from shop.clicks group by 1

-- types
--mean double
--__ivm_argument_mean int

-- state
SELECT
  `q`.`user_id` AS `user_id`,
  `q`.`__ivm_nonnull_mean` AS `__ivm_nonnull_mean`,
  `q`.`__ivm_sum_mean` AS `__ivm_sum_mean`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `clicks`.`user_id` AS `user_id`,
    COUNT(`clicks`.`seconds`) AS `__ivm_nonnull_mean`,
    CAST(SUM(`clicks`.`seconds`) AS BIGINT) AS `__ivm_sum_mean`,
    COUNT(1) AS `__ivm_count`
  FROM `shop`.`clicks` VERSION AS OF 9 AS `clicks`
  GROUP BY
    `clicks`.`user_id`
) AS `q`

-- visible
SELECT
  `state`.`user_id` AS `user_id_2`,
  CAST(`state`.`__ivm_sum_mean` AS DOUBLE) / `state`.`__ivm_nonnull_mean` AS `mean_2`
FROM `shop`.`v__ivm` AS `state`

-- merge of inserts in clicks
merge into `shop`.`v__ivm` as t
using (
SELECT
  `clicks`.`user_id` AS `user_id`,
  COALESCE(
    SUM(CASE WHEN NOT `clicks`.`seconds` IS NULL THEN `clicks`.`__ivm_weight` ELSE 0 END),
    0
  ) AS `__ivm_nonnull_mean`,
  SUM(
    CASE
      WHEN `clicks`.`__ivm_weight` > 0
      THEN CAST(`clicks`.`seconds` AS BIGINT)
      ELSE -(
        CAST(`clicks`.`seconds` AS BIGINT)
      )
    END
  ) AS `__ivm_sum_mean`,
  COALESCE(SUM(`clicks`.`__ivm_weight`), 0) AS `__ivm_count`
FROM (
  SELECT
    `user_id`,
    `seconds`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`clicks`', 8, 9)
) AS `clicks`
GROUP BY
  `clicks`.`user_id`
) as s
on `t`.`user_id` IS NOT DISTINCT FROM `s`.`user_id`
when matched and (`s`.`__ivm_count` <> 0 OR `s`.`__ivm_nonnull_mean` <> 0 OR `s`.`__ivm_sum_mean` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END,
  `__ivm_nonnull_mean` = CASE WHEN `t`.`__ivm_nonnull_mean` + `s`.`__ivm_nonnull_mean` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_nonnull_mean` + `s`.`__ivm_nonnull_mean` END,
  `__ivm_sum_mean` = CASE WHEN `t`.`__ivm_nonnull_mean` + `s`.`__ivm_nonnull_mean` <> 0 THEN CAST(COALESCE(`t`.`__ivm_sum_mean`, 0) + COALESCE(`s`.`__ivm_sum_mean`, 0) AS BIGINT) END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `__ivm_nonnull_mean`, `__ivm_sum_mean`, `user_id`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`__ivm_nonnull_mean`,
  CASE WHEN `s`.`__ivm_nonnull_mean` <> 0 THEN CAST(`s`.`__ivm_sum_mean` AS BIGINT) END,
  `s`.`user_id`
)

-- merge of changes in clicks
merge into `shop`.`v__ivm` as t
using (
SELECT
  `clicks`.`user_id` AS `user_id`,
  COALESCE(
    SUM(CASE WHEN NOT `clicks`.`seconds` IS NULL THEN `clicks`.`__ivm_weight` ELSE 0 END),
    0
  ) AS `__ivm_nonnull_mean`,
  SUM(
    CASE
      WHEN `clicks`.`__ivm_weight` > 0
      THEN CAST(`clicks`.`seconds` AS BIGINT)
      ELSE -(
        CAST(`clicks`.`seconds` AS BIGINT)
      )
    END
  ) AS `__ivm_sum_mean`,
  COALESCE(SUM(`clicks`.`__ivm_weight`), 0) AS `__ivm_count`
FROM (
  SELECT
    `user_id`,
    `seconds`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`clicks`', 8, 9)
) AS `clicks`
GROUP BY
  `clicks`.`user_id`
) as s
on `t`.`user_id` IS NOT DISTINCT FROM `s`.`user_id`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0 OR `s`.`__ivm_nonnull_mean` <> 0 OR `s`.`__ivm_sum_mean` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END,
  `__ivm_nonnull_mean` = CASE WHEN `t`.`__ivm_nonnull_mean` + `s`.`__ivm_nonnull_mean` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_nonnull_mean` + `s`.`__ivm_nonnull_mean` END,
  `__ivm_sum_mean` = CASE WHEN `t`.`__ivm_nonnull_mean` + `s`.`__ivm_nonnull_mean` <> 0 THEN CAST(COALESCE(`t`.`__ivm_sum_mean`, 0) + COALESCE(`s`.`__ivm_sum_mean`, 0) AS BIGINT) END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `__ivm_nonnull_mean`, `__ivm_sum_mean`, `user_id`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`__ivm_nonnull_mean`,
  CASE WHEN `s`.`__ivm_nonnull_mean` <> 0 THEN CAST(`s`.`__ivm_sum_mean` AS BIGINT) END,
  `s`.`user_id`
)
