-- view
select segment, count(*) as n from (select distinct segment, name from shop.customers) t group by 1

-- types
--n bigint

-- state
SELECT
  `q_2`.`segment_2` AS `segment_2`,
  `q_2`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q`.`segment` AS `segment_2`,
    COUNT(1) AS `__ivm_count`
  FROM (
    SELECT DISTINCT
      `customers`.`segment` AS `segment`,
      `customers`.`name` AS `name`
    FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
  ) AS `q`
  GROUP BY
    `q`.`segment`
) AS `q_2`

-- visible
SELECT
  `state`.`segment_2` AS `segment_3`,
  `state`.`__ivm_count` AS `n_2`
FROM `shop`.`v__ivm` AS `state`

-- merge of inserts in customers
cache table ivm_materialized_1 as
SELECT
  `customers`.`segment` AS `segment`,
  `customers`.`name` AS `name`,
  `customers`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `segment`,
    `name`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`customers`', 8, 9)
) AS `customers`;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_4`.`segment` AS `segment_2`,
  COALESCE(SUM(`q_4`.`__ivm_side`), 0) AS `__ivm_count`
FROM (
  SELECT DISTINCT
    `q_3`.`segment` AS `segment`,
    `q_3`.`name` AS `name`,
    `q_3`.`__ivm_side` AS `__ivm_side`
  FROM (
    SELECT
      `q_2`.`segment` AS `segment`,
      `q_2`.`name` AS `name`,
      `q_2`.`__ivm_side` AS `__ivm_side`,
      SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
    FROM (
      SELECT
        `customers`.`segment` AS `segment`,
        `customers`.`name` AS `name`,
        `generated`.`__ivm_side` AS `__ivm_side`,
        1 AS `__ivm_weight`
      FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
      LEFT SEMI JOIN (
        SELECT DISTINCT
          `ivm_materialized_1`.`segment` AS `__ivm_touched_0`,
          `ivm_materialized_1`.`name` AS `__ivm_touched_1`
        FROM ivm_materialized_1 AS `ivm_materialized_1`
      ) AS `q`
        ON `customers`.`segment` IS NOT DISTINCT FROM `q`.`__ivm_touched_0`
        AND `customers`.`name` IS NOT DISTINCT FROM `q`.`__ivm_touched_1`
      LATERAL VIEW
      EXPLODE(array(1, -1)) generated AS `__ivm_side`
      UNION ALL
      SELECT
        `ivm_materialized_1`.`segment` AS `segment`,
        `ivm_materialized_1`.`name` AS `name`,
        -1 AS `__ivm_side`,
        -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
      FROM ivm_materialized_1 AS `ivm_materialized_1`
    ) AS `q_2`
    GROUP BY
      `q_2`.`segment`,
      `q_2`.`name`,
      `q_2`.`__ivm_side`
  ) AS `q_3`
  WHERE
    `q_3`.`__ivm_times` > 0
) AS `q_4`
GROUP BY
  `q_4`.`segment`
) as s
on `t`.`segment_2` IS NOT DISTINCT FROM `s`.`segment_2`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `segment_2`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`segment_2`
)

-- merge of changes in customers
cache table ivm_materialized_1 as
SELECT
  `customers`.`segment` AS `segment`,
  `customers`.`name` AS `name`,
  `customers`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `segment`,
    `name`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`customers`', 8, 9)
) AS `customers`;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_4`.`segment` AS `segment_2`,
  COALESCE(SUM(`q_4`.`__ivm_side`), 0) AS `__ivm_count`
FROM (
  SELECT DISTINCT
    `q_3`.`segment` AS `segment`,
    `q_3`.`name` AS `name`,
    `q_3`.`__ivm_side` AS `__ivm_side`
  FROM (
    SELECT
      `q_2`.`segment` AS `segment`,
      `q_2`.`name` AS `name`,
      `q_2`.`__ivm_side` AS `__ivm_side`,
      SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
    FROM (
      SELECT
        `customers`.`segment` AS `segment`,
        `customers`.`name` AS `name`,
        `generated`.`__ivm_side` AS `__ivm_side`,
        1 AS `__ivm_weight`
      FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
      LEFT SEMI JOIN (
        SELECT DISTINCT
          `ivm_materialized_1`.`segment` AS `__ivm_touched_0`,
          `ivm_materialized_1`.`name` AS `__ivm_touched_1`
        FROM ivm_materialized_1 AS `ivm_materialized_1`
      ) AS `q`
        ON `customers`.`segment` IS NOT DISTINCT FROM `q`.`__ivm_touched_0`
        AND `customers`.`name` IS NOT DISTINCT FROM `q`.`__ivm_touched_1`
      LATERAL VIEW
      EXPLODE(array(1, -1)) generated AS `__ivm_side`
      UNION ALL
      SELECT
        `ivm_materialized_1`.`segment` AS `segment`,
        `ivm_materialized_1`.`name` AS `name`,
        -1 AS `__ivm_side`,
        -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
      FROM ivm_materialized_1 AS `ivm_materialized_1`
    ) AS `q_2`
    GROUP BY
      `q_2`.`segment`,
      `q_2`.`name`,
      `q_2`.`__ivm_side`
  ) AS `q_3`
  WHERE
    `q_3`.`__ivm_times` > 0
) AS `q_4`
GROUP BY
  `q_4`.`segment`
) as s
on `t`.`segment_2` IS NOT DISTINCT FROM `s`.`segment_2`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `segment_2`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`segment_2`
)
