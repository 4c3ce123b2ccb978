-- view
select segment, name, count(*) as n, max(customer_id) as newest, grouping(name) as all_names
from customers
group by rollup (segment, name)
having grouping(segment) = 0

-- types
n bigint
newest bigint
__ivm_argument_newest bigint
__ivm_set_of_segment int

-- state
SELECT
  `q`.`segment` AS `segment`,
  `q`.`name` AS `name`,
  `q`.`__ivm_set_of_segment` AS `__ivm_set_of_segment`,
  `q`.`newest` AS `newest`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    CASE
      WHEN `generated`.`__ivm_set_of_segment` IN (0, 1)
      THEN `customers`.`segment`
    END AS `segment`,
    CASE WHEN `generated`.`__ivm_set_of_segment` IN (0) THEN `customers`.`name` END AS `name`,
    `generated`.`__ivm_set_of_segment` AS `__ivm_set_of_segment`,
    MAX(`customers`.`customer_id`) AS `newest`,
    COUNT(1) AS `__ivm_count`
  FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
  LATERAL VIEW
  EXPLODE(ARRAY(0, 1, 3)) generated AS `__ivm_set_of_segment`
  GROUP BY
    CASE
      WHEN `generated`.`__ivm_set_of_segment` IN (0, 1)
      THEN `customers`.`segment`
    END,
    CASE WHEN `generated`.`__ivm_set_of_segment` IN (0) THEN `customers`.`name` END,
    `generated`.`__ivm_set_of_segment`
) AS `q`

-- visible
SELECT
  `state`.`segment` AS `segment_2`,
  `state`.`name` AS `name_2`,
  `state`.`__ivm_count` AS `n_2`,
  `state`.`newest` AS `newest_2`,
  CAST(CASE WHEN `state`.`__ivm_set_of_segment` IN (1, 3) THEN 1 ELSE 0 END AS TINYINT) AS `all_names_2`
FROM `shop`.`v__ivm` AS `state`
WHERE
  CAST(CASE WHEN `state`.`__ivm_set_of_segment` IN (3) THEN 1 ELSE 0 END AS TINYINT) = 0

-- merge of inserts in customers
merge into `shop`.`v__ivm` as t
using (
SELECT
  CASE
    WHEN `generated`.`__ivm_set_of_segment` IN (0, 1)
    THEN `customers`.`segment`
  END AS `segment`,
  CASE WHEN `generated`.`__ivm_set_of_segment` IN (0) THEN `customers`.`name` END AS `name`,
  `generated`.`__ivm_set_of_segment` AS `__ivm_set_of_segment`,
  MAX(`customers`.`customer_id`) AS `newest`,
  COALESCE(SUM(`customers`.`__ivm_weight`), 0) AS `__ivm_count`
FROM (
  SELECT
    `customer_id`,
    `segment`,
    `name`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`customers`', 8, 9)
) AS `customers`
LATERAL VIEW
EXPLODE(ARRAY(0, 1, 3)) generated AS `__ivm_set_of_segment`
GROUP BY
  CASE
    WHEN `generated`.`__ivm_set_of_segment` IN (0, 1)
    THEN `customers`.`segment`
  END,
  CASE WHEN `generated`.`__ivm_set_of_segment` IN (0) THEN `customers`.`name` END,
  `generated`.`__ivm_set_of_segment`
) as s
on `t`.`segment` IS NOT DISTINCT FROM `s`.`segment` AND `t`.`name` IS NOT DISTINCT FROM `s`.`name` AND `t`.`__ivm_set_of_segment` IS NOT DISTINCT FROM `s`.`__ivm_set_of_segment`
when matched and (`s`.`__ivm_count` <> 0 OR NOT (`t`.`newest` IS NOT DISTINCT FROM greatest(`t`.`newest`, `s`.`newest`))) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END,
  `newest` = greatest(`t`.`newest`, `s`.`newest`)
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `newest`, `segment`, `name`, `__ivm_set_of_segment`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`newest`,
  `s`.`segment`,
  `s`.`name`,
  `s`.`__ivm_set_of_segment`
)

-- merge of changes in customers
cache table ivm_materialized_change as
SELECT
  CASE
    WHEN `generated`.`__ivm_set_of_segment` IN (0, 1)
    THEN `customers`.`segment`
  END AS `segment`,
  CASE WHEN `generated`.`__ivm_set_of_segment` IN (0) THEN `customers`.`name` END AS `name`,
  `generated`.`__ivm_set_of_segment` AS `__ivm_set_of_segment`,
  MAX(CASE WHEN `customers`.`__ivm_weight` > 0 THEN `customers`.`customer_id` END) AS `newest`,
  MAX(CASE WHEN `customers`.`__ivm_weight` < 0 THEN `customers`.`customer_id` END) AS `__ivm_lost_newest`,
  COALESCE(SUM(`customers`.`__ivm_weight`), 0) AS `__ivm_count`
FROM (
  SELECT
    `customer_id`,
    `segment`,
    `name`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`customers`', 8, 9)
) AS `customers`
LATERAL VIEW
EXPLODE(ARRAY(0, 1, 3)) generated AS `__ivm_set_of_segment`
GROUP BY
  CASE
    WHEN `generated`.`__ivm_set_of_segment` IN (0, 1)
    THEN `customers`.`segment`
  END,
  CASE WHEN `generated`.`__ivm_set_of_segment` IN (0) THEN `customers`.`name` END,
  `generated`.`__ivm_set_of_segment`;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `ivm_materialized_change`.`segment` AS `segment`,
  `ivm_materialized_change`.`name` AS `name`,
  `ivm_materialized_change`.`__ivm_set_of_segment` AS `__ivm_set_of_segment`,
  `ivm_materialized_change`.`newest` AS `newest`,
  `ivm_materialized_change`.`__ivm_lost_newest` AS `__ivm_lost_newest`,
  `ivm_materialized_change`.`__ivm_count` AS `__ivm_count`,
  `q_3`.`newest` AS `__ivm_fresh_newest`,
  `q_3`.`__ivm_count` AS `__ivm_fresh___ivm_count`
FROM ivm_materialized_change AS `ivm_materialized_change`
LEFT JOIN (
  SELECT
    CASE WHEN `q`.`__ivm_set_of_segment` IN (0, 1) THEN `q`.`customers_segment` END AS `segment`,
    CASE WHEN `q`.`__ivm_set_of_segment` IN (0) THEN `q`.`customers_name` END AS `name`,
    `q`.`__ivm_set_of_segment` AS `__ivm_set_of_segment`,
    MAX(`q`.`customers_customer_id`) AS `newest`,
    COUNT(1) AS `__ivm_count`
  FROM (
    SELECT
      `customers`.`customer_id` AS `customers_customer_id`,
      `customers`.`segment` AS `customers_segment`,
      `customers`.`name` AS `customers_name`,
      `generated`.`__ivm_set_of_segment` AS `__ivm_set_of_segment`,
      CASE
        WHEN `generated`.`__ivm_set_of_segment` IN (0, 1)
        THEN `customers`.`segment`
      END AS `__ivm_of_segment`,
      CASE WHEN `generated`.`__ivm_set_of_segment` IN (0) THEN `customers`.`name` END AS `__ivm_of_name`,
      `generated`.`__ivm_set_of_segment` AS `__ivm_of___ivm_set_of_segment`
    FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
    LATERAL VIEW
    EXPLODE(ARRAY(0, 1, 3)) generated AS `__ivm_set_of_segment`
  ) AS `q`
  LEFT SEMI JOIN (
    SELECT
      `ivm_materialized_change`.`segment` AS `__ivm_among_segment`,
      `ivm_materialized_change`.`name` AS `__ivm_among_name`,
      `ivm_materialized_change`.`__ivm_set_of_segment` AS `__ivm_among___ivm_set_of_segment`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    LEFT JOIN `shop`.`v__ivm` AS `state`
      ON `ivm_materialized_change`.`segment` IS NOT DISTINCT FROM `state`.`segment`
      AND `ivm_materialized_change`.`name` IS NOT DISTINCT FROM `state`.`name`
      AND `ivm_materialized_change`.`__ivm_set_of_segment` IS NOT DISTINCT FROM `state`.`__ivm_set_of_segment`
    WHERE
      `ivm_materialized_change`.`__ivm_lost_newest` >= greatest(`state`.`newest`, `ivm_materialized_change`.`newest`)
  ) AS `q_2`
    ON `q`.`__ivm_of_segment` IS NOT DISTINCT FROM `q_2`.`__ivm_among_segment`
    AND `q`.`__ivm_of_name` IS NOT DISTINCT FROM `q_2`.`__ivm_among_name`
    AND `q`.`__ivm_of___ivm_set_of_segment` IS NOT DISTINCT FROM `q_2`.`__ivm_among___ivm_set_of_segment`
  GROUP BY
    CASE WHEN `q`.`__ivm_set_of_segment` IN (0, 1) THEN `q`.`customers_segment` END,
    CASE WHEN `q`.`__ivm_set_of_segment` IN (0) THEN `q`.`customers_name` END,
    `q`.`__ivm_set_of_segment`
) AS `q_3`
  ON `ivm_materialized_change`.`segment` IS NOT DISTINCT FROM `q_3`.`segment`
  AND `ivm_materialized_change`.`name` IS NOT DISTINCT FROM `q_3`.`name`
  AND `ivm_materialized_change`.`__ivm_set_of_segment` IS NOT DISTINCT FROM `q_3`.`__ivm_set_of_segment`
) as s
on `t`.`segment` IS NOT DISTINCT FROM `s`.`segment` AND `t`.`name` IS NOT DISTINCT FROM `s`.`name` AND `t`.`__ivm_set_of_segment` IS NOT DISTINCT FROM `s`.`__ivm_set_of_segment`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0 OR NOT (`t`.`newest` IS NOT DISTINCT FROM CASE WHEN NOT `s`.`__ivm_fresh___ivm_count` IS NULL THEN `s`.`__ivm_fresh_newest` ELSE greatest(`t`.`newest`, `s`.`newest`) END)) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END,
  `newest` = CASE WHEN NOT `s`.`__ivm_fresh___ivm_count` IS NULL THEN `s`.`__ivm_fresh_newest` ELSE greatest(`t`.`newest`, `s`.`newest`) END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `newest`, `segment`, `name`, `__ivm_set_of_segment`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  CASE WHEN NOT `s`.`__ivm_fresh___ivm_count` IS NULL THEN `s`.`__ivm_fresh_newest` ELSE `s`.`newest` END,
  `s`.`segment`,
  `s`.`name`,
  `s`.`__ivm_set_of_segment`
)
