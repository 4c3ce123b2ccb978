-- view
select count(*) as n, sum(seconds) as total from shop.clicks

-- types
--n bigint
--total bigint
--__ivm_argument_total int

-- state
SELECT
  0 AS `__ivm_key`,
  `q`.`__ivm_nonnull_total` AS `__ivm_nonnull_total`,
  `q`.`total` AS `total`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    COUNT(`clicks`.`seconds`) AS `__ivm_nonnull_total`,
    CAST(SUM(`clicks`.`seconds`) AS BIGINT) AS `total`,
    COUNT(1) AS `__ivm_count`
  FROM `shop`.`clicks` VERSION AS OF 9 AS `clicks`
) AS `q`

-- visible
SELECT
  `state`.`__ivm_count` AS `n_2`,
  `state`.`total` AS `total_2`
FROM `shop`.`v__ivm` AS `state`

-- merge of inserts in clicks
merge into `shop`.`v__ivm` as t
using (
SELECT
  0 AS `__ivm_key`,
  `q`.`__ivm_nonnull_total` AS `__ivm_nonnull_total`,
  `q`.`total` AS `total`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    COALESCE(
      SUM(CASE WHEN NOT `clicks`.`seconds` IS NULL THEN `clicks`.`__ivm_weight` ELSE 0 END),
      0
    ) AS `__ivm_nonnull_total`,
    SUM(
      CASE
        WHEN `clicks`.`__ivm_weight` > 0
        THEN CAST(`clicks`.`seconds` AS BIGINT)
        ELSE -(
          CAST(`clicks`.`seconds` AS BIGINT)
        )
      END
    ) AS `total`,
    COALESCE(SUM(`clicks`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `seconds`,
      IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`clicks`', 8, 9)
  ) AS `clicks`
) AS `q`
) as s
on `t`.`__ivm_key` = `s`.`__ivm_key`
when matched and (`s`.`__ivm_count` <> 0 OR `s`.`__ivm_nonnull_total` <> 0 OR `s`.`total` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END,
  `__ivm_nonnull_total` = CASE WHEN `t`.`__ivm_nonnull_total` + `s`.`__ivm_nonnull_total` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_nonnull_total` + `s`.`__ivm_nonnull_total` END,
  `total` = CASE WHEN `t`.`__ivm_nonnull_total` + `s`.`__ivm_nonnull_total` <> 0 THEN CAST(COALESCE(`t`.`total`, 0) + COALESCE(`s`.`total`, 0) AS BIGINT) END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `__ivm_nonnull_total`, `total`, `__ivm_key`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`__ivm_nonnull_total`,
  CASE WHEN `s`.`__ivm_nonnull_total` <> 0 THEN CAST(`s`.`total` AS BIGINT) END,
  `s`.`__ivm_key`
)

-- merge of changes in clicks
merge into `shop`.`v__ivm` as t
using (
SELECT
  0 AS `__ivm_key`,
  `q`.`__ivm_nonnull_total` AS `__ivm_nonnull_total`,
  `q`.`total` AS `total`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    COALESCE(
      SUM(CASE WHEN NOT `clicks`.`seconds` IS NULL THEN `clicks`.`__ivm_weight` ELSE 0 END),
      0
    ) AS `__ivm_nonnull_total`,
    SUM(
      CASE
        WHEN `clicks`.`__ivm_weight` > 0
        THEN CAST(`clicks`.`seconds` AS BIGINT)
        ELSE -(
          CAST(`clicks`.`seconds` AS BIGINT)
        )
      END
    ) AS `total`,
    COALESCE(SUM(`clicks`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `seconds`,
      IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`clicks`', 8, 9)
  ) AS `clicks`
) AS `q`
) as s
on `t`.`__ivm_key` = `s`.`__ivm_key`
when matched and (`s`.`__ivm_count` <> 0 OR `s`.`__ivm_nonnull_total` <> 0 OR `s`.`total` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END,
  `__ivm_nonnull_total` = CASE WHEN `t`.`__ivm_nonnull_total` + `s`.`__ivm_nonnull_total` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_nonnull_total` + `s`.`__ivm_nonnull_total` END,
  `total` = CASE WHEN `t`.`__ivm_nonnull_total` + `s`.`__ivm_nonnull_total` <> 0 THEN CAST(COALESCE(`t`.`total`, 0) + COALESCE(`s`.`total`, 0) AS BIGINT) END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `__ivm_nonnull_total`, `total`, `__ivm_key`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`__ivm_nonnull_total`,
  CASE WHEN `s`.`__ivm_nonnull_total` <> 0 THEN CAST(`s`.`total` AS BIGINT) END,
  `s`.`__ivm_key`
)
