-- view
select customer_id, year(ordered_on) as y, sum(amount) as revenue, grouping_id() as level,
  count(distinct note) as notes
from orders
group by grouping sets ((customer_id, year(ordered_on)), (customer_id), (customer_id), ())

-- types
y int
notes bigint
__ivm_set_of_customer_id int
revenue decimal(22,2)
__ivm_argument_revenue decimal(12,2)

-- state
SELECT
  `q`.`customer_id` AS `customer_id`,
  `q`.`y` AS `y`,
  `q`.`__ivm_set_of_customer_id` AS `__ivm_set_of_customer_id`,
  `q`.`__ivm_nonnull_revenue` AS `__ivm_nonnull_revenue`,
  `q`.`revenue` AS `revenue`,
  `q`.`notes` AS `notes`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    CASE
      WHEN `generated`.`__ivm_set_of_customer_id` IN (0, 1, 5)
      THEN `orders`.`customer_id`
    END AS `customer_id`,
    CASE
      WHEN `generated`.`__ivm_set_of_customer_id` IN (0)
      THEN year(`orders`.`ordered_on`)
    END AS `y`,
    `generated`.`__ivm_set_of_customer_id` AS `__ivm_set_of_customer_id`,
    COUNT(`orders`.`amount`) AS `__ivm_nonnull_revenue`,
    CAST(SUM(`orders`.`amount`) AS DECIMAL(22, 2)) AS `revenue`,
    count(DISTINCT `orders`.`note`) AS `notes`,
    COUNT(1) AS `__ivm_count`
  FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
  LATERAL VIEW
  EXPLODE(ARRAY(0, 1, 5, 3)) generated AS `__ivm_set_of_customer_id`
  GROUP BY
    CASE
      WHEN `generated`.`__ivm_set_of_customer_id` IN (0, 1, 5)
      THEN `orders`.`customer_id`
    END,
    CASE
      WHEN `generated`.`__ivm_set_of_customer_id` IN (0)
      THEN year(`orders`.`ordered_on`)
    END,
    `generated`.`__ivm_set_of_customer_id`
) AS `q`

-- visible
SELECT
  `state`.`customer_id` AS `customer_id_2`,
  `state`.`y` AS `y_2`,
  `state`.`revenue` AS `revenue_2`,
  CAST(`state`.`__ivm_set_of_customer_id` % 4 AS BIGINT) AS `level_2`,
  `state`.`notes` AS `notes_2`
FROM `shop`.`v__ivm` AS `state`

-- merge of inserts in orders
cache table ivm_materialized_change as
SELECT
  CASE
    WHEN `generated`.`__ivm_set_of_customer_id` IN (0, 1, 5)
    THEN `orders`.`customer_id`
  END AS `customer_id`,
  CASE
    WHEN `generated`.`__ivm_set_of_customer_id` IN (0)
    THEN year(`orders`.`ordered_on`)
  END AS `y`,
  `generated`.`__ivm_set_of_customer_id` AS `__ivm_set_of_customer_id`,
  COALESCE(
    SUM(CASE WHEN NOT `orders`.`amount` IS NULL THEN `orders`.`__ivm_weight` ELSE 0 END),
    0
  ) AS `__ivm_nonnull_revenue`,
  SUM(
    CASE
      WHEN `orders`.`__ivm_weight` > 0
      THEN `orders`.`amount`
      ELSE -(
        `orders`.`amount`
      )
    END
  ) AS `revenue`,
  COALESCE(SUM(`orders`.`__ivm_weight`), 0) AS `__ivm_count`
FROM (
  SELECT
    `customer_id`,
    `ordered_on`,
    `amount`,
    `note`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `orders`
LATERAL VIEW
EXPLODE(ARRAY(0, 1, 5, 3)) generated AS `__ivm_set_of_customer_id`
GROUP BY
  CASE
    WHEN `generated`.`__ivm_set_of_customer_id` IN (0, 1, 5)
    THEN `orders`.`customer_id`
  END,
  CASE
    WHEN `generated`.`__ivm_set_of_customer_id` IN (0)
    THEN year(`orders`.`ordered_on`)
  END,
  `generated`.`__ivm_set_of_customer_id`;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `ivm_materialized_change`.`customer_id` AS `customer_id`,
  `ivm_materialized_change`.`y` AS `y`,
  `ivm_materialized_change`.`__ivm_set_of_customer_id` AS `__ivm_set_of_customer_id`,
  `ivm_materialized_change`.`__ivm_nonnull_revenue` AS `__ivm_nonnull_revenue`,
  `ivm_materialized_change`.`revenue` AS `revenue`,
  `ivm_materialized_change`.`__ivm_count` AS `__ivm_count`,
  `q_3`.`notes` AS `__ivm_fresh_notes`,
  `q_3`.`__ivm_count` AS `__ivm_fresh___ivm_count`
FROM ivm_materialized_change AS `ivm_materialized_change`
LEFT JOIN (
  SELECT
    CASE
      WHEN `q`.`__ivm_set_of_customer_id` IN (0, 1, 5)
      THEN `q`.`orders_customer_id`
    END AS `customer_id`,
    CASE
      WHEN `q`.`__ivm_set_of_customer_id` IN (0)
      THEN year(`q`.`orders_ordered_on`)
    END AS `y`,
    `q`.`__ivm_set_of_customer_id` AS `__ivm_set_of_customer_id`,
    COUNT(`q`.`orders_amount`) AS `__ivm_nonnull_revenue`,
    CAST(SUM(`q`.`orders_amount`) AS DECIMAL(22, 2)) AS `revenue`,
    count(DISTINCT `q`.`orders_note`) AS `notes`,
    COUNT(1) AS `__ivm_count`
  FROM (
    SELECT
      `orders`.`customer_id` AS `orders_customer_id`,
      `orders`.`ordered_on` AS `orders_ordered_on`,
      `orders`.`amount` AS `orders_amount`,
      `orders`.`note` AS `orders_note`,
      `generated`.`__ivm_set_of_customer_id` AS `__ivm_set_of_customer_id`,
      CASE
        WHEN `generated`.`__ivm_set_of_customer_id` IN (0, 1, 5)
        THEN `orders`.`customer_id`
      END AS `__ivm_of_customer_id`,
      CASE
        WHEN `generated`.`__ivm_set_of_customer_id` IN (0)
        THEN year(`orders`.`ordered_on`)
      END AS `__ivm_of_y`,
      `generated`.`__ivm_set_of_customer_id` AS `__ivm_of___ivm_set_of_customer_id`
    FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
    LATERAL VIEW
    EXPLODE(ARRAY(0, 1, 5, 3)) generated AS `__ivm_set_of_customer_id`
  ) AS `q`
  LEFT SEMI JOIN (
    SELECT
      `ivm_materialized_change`.`customer_id` AS `__ivm_among_customer_id`,
      `ivm_materialized_change`.`y` AS `__ivm_among_y`,
      `ivm_materialized_change`.`__ivm_set_of_customer_id` AS `__ivm_among___ivm_set_of_customer_id`
    FROM ivm_materialized_change AS `ivm_materialized_change`
  ) AS `q_2`
    ON `q`.`__ivm_of_customer_id` IS NOT DISTINCT FROM `q_2`.`__ivm_among_customer_id`
    AND `q`.`__ivm_of_y` IS NOT DISTINCT FROM `q_2`.`__ivm_among_y`
    AND `q`.`__ivm_of___ivm_set_of_customer_id` IS NOT DISTINCT FROM `q_2`.`__ivm_among___ivm_set_of_customer_id`
  GROUP BY
    CASE
      WHEN `q`.`__ivm_set_of_customer_id` IN (0, 1, 5)
      THEN `q`.`orders_customer_id`
    END,
    CASE
      WHEN `q`.`__ivm_set_of_customer_id` IN (0)
      THEN year(`q`.`orders_ordered_on`)
    END,
    `q`.`__ivm_set_of_customer_id`
) AS `q_3`
  ON `ivm_materialized_change`.`customer_id` IS NOT DISTINCT FROM `q_3`.`customer_id`
  AND `ivm_materialized_change`.`y` IS NOT DISTINCT FROM `q_3`.`y`
  AND `ivm_materialized_change`.`__ivm_set_of_customer_id` IS NOT DISTINCT FROM `q_3`.`__ivm_set_of_customer_id`
) as s
on `t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id` AND `t`.`y` IS NOT DISTINCT FROM `s`.`y` AND `t`.`__ivm_set_of_customer_id` IS NOT DISTINCT FROM `s`.`__ivm_set_of_customer_id`
when matched and (`s`.`__ivm_count` <> 0 OR `s`.`__ivm_nonnull_revenue` <> 0 OR `s`.`revenue` <> 0 OR NOT (`t`.`notes` IS NOT DISTINCT FROM `s`.`__ivm_fresh_notes`)) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END,
  `__ivm_nonnull_revenue` = CASE WHEN `t`.`__ivm_nonnull_revenue` + `s`.`__ivm_nonnull_revenue` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_nonnull_revenue` + `s`.`__ivm_nonnull_revenue` END,
  `revenue` = CASE WHEN `t`.`__ivm_nonnull_revenue` + `s`.`__ivm_nonnull_revenue` <> 0 THEN CAST(COALESCE(`t`.`revenue`, 0) + COALESCE(`s`.`revenue`, 0) AS DECIMAL(22, 2)) END,
  `notes` = `s`.`__ivm_fresh_notes`
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `__ivm_nonnull_revenue`, `revenue`, `notes`, `customer_id`, `y`, `__ivm_set_of_customer_id`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`__ivm_nonnull_revenue`,
  CASE WHEN `s`.`__ivm_nonnull_revenue` <> 0 THEN CAST(`s`.`revenue` AS DECIMAL(22, 2)) END,
  `s`.`__ivm_fresh_notes`,
  `s`.`customer_id`,
  `s`.`y`,
  `s`.`__ivm_set_of_customer_id`
)

-- merge of changes in orders
cache table ivm_materialized_change as
SELECT
  CASE
    WHEN `generated`.`__ivm_set_of_customer_id` IN (0, 1, 5)
    THEN `orders`.`customer_id`
  END AS `customer_id`,
  CASE
    WHEN `generated`.`__ivm_set_of_customer_id` IN (0)
    THEN year(`orders`.`ordered_on`)
  END AS `y`,
  `generated`.`__ivm_set_of_customer_id` AS `__ivm_set_of_customer_id`,
  COALESCE(
    SUM(CASE WHEN NOT `orders`.`amount` IS NULL THEN `orders`.`__ivm_weight` ELSE 0 END),
    0
  ) AS `__ivm_nonnull_revenue`,
  SUM(
    CASE
      WHEN `orders`.`__ivm_weight` > 0
      THEN `orders`.`amount`
      ELSE -(
        `orders`.`amount`
      )
    END
  ) AS `revenue`,
  COALESCE(SUM(`orders`.`__ivm_weight`), 0) AS `__ivm_count`
FROM (
  SELECT
    `customer_id`,
    `ordered_on`,
    `amount`,
    `note`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `orders`
LATERAL VIEW
EXPLODE(ARRAY(0, 1, 5, 3)) generated AS `__ivm_set_of_customer_id`
GROUP BY
  CASE
    WHEN `generated`.`__ivm_set_of_customer_id` IN (0, 1, 5)
    THEN `orders`.`customer_id`
  END,
  CASE
    WHEN `generated`.`__ivm_set_of_customer_id` IN (0)
    THEN year(`orders`.`ordered_on`)
  END,
  `generated`.`__ivm_set_of_customer_id`;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `ivm_materialized_change`.`customer_id` AS `customer_id`,
  `ivm_materialized_change`.`y` AS `y`,
  `ivm_materialized_change`.`__ivm_set_of_customer_id` AS `__ivm_set_of_customer_id`,
  `ivm_materialized_change`.`__ivm_nonnull_revenue` AS `__ivm_nonnull_revenue`,
  `ivm_materialized_change`.`revenue` AS `revenue`,
  `ivm_materialized_change`.`__ivm_count` AS `__ivm_count`,
  `q_3`.`notes` AS `__ivm_fresh_notes`,
  `q_3`.`__ivm_count` AS `__ivm_fresh___ivm_count`
FROM ivm_materialized_change AS `ivm_materialized_change`
LEFT JOIN (
  SELECT
    CASE
      WHEN `q`.`__ivm_set_of_customer_id` IN (0, 1, 5)
      THEN `q`.`orders_customer_id`
    END AS `customer_id`,
    CASE
      WHEN `q`.`__ivm_set_of_customer_id` IN (0)
      THEN year(`q`.`orders_ordered_on`)
    END AS `y`,
    `q`.`__ivm_set_of_customer_id` AS `__ivm_set_of_customer_id`,
    COUNT(`q`.`orders_amount`) AS `__ivm_nonnull_revenue`,
    CAST(SUM(`q`.`orders_amount`) AS DECIMAL(22, 2)) AS `revenue`,
    count(DISTINCT `q`.`orders_note`) AS `notes`,
    COUNT(1) AS `__ivm_count`
  FROM (
    SELECT
      `orders`.`customer_id` AS `orders_customer_id`,
      `orders`.`ordered_on` AS `orders_ordered_on`,
      `orders`.`amount` AS `orders_amount`,
      `orders`.`note` AS `orders_note`,
      `generated`.`__ivm_set_of_customer_id` AS `__ivm_set_of_customer_id`,
      CASE
        WHEN `generated`.`__ivm_set_of_customer_id` IN (0, 1, 5)
        THEN `orders`.`customer_id`
      END AS `__ivm_of_customer_id`,
      CASE
        WHEN `generated`.`__ivm_set_of_customer_id` IN (0)
        THEN year(`orders`.`ordered_on`)
      END AS `__ivm_of_y`,
      `generated`.`__ivm_set_of_customer_id` AS `__ivm_of___ivm_set_of_customer_id`
    FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
    LATERAL VIEW
    EXPLODE(ARRAY(0, 1, 5, 3)) generated AS `__ivm_set_of_customer_id`
  ) AS `q`
  LEFT SEMI JOIN (
    SELECT
      `ivm_materialized_change`.`customer_id` AS `__ivm_among_customer_id`,
      `ivm_materialized_change`.`y` AS `__ivm_among_y`,
      `ivm_materialized_change`.`__ivm_set_of_customer_id` AS `__ivm_among___ivm_set_of_customer_id`
    FROM ivm_materialized_change AS `ivm_materialized_change`
  ) AS `q_2`
    ON `q`.`__ivm_of_customer_id` IS NOT DISTINCT FROM `q_2`.`__ivm_among_customer_id`
    AND `q`.`__ivm_of_y` IS NOT DISTINCT FROM `q_2`.`__ivm_among_y`
    AND `q`.`__ivm_of___ivm_set_of_customer_id` IS NOT DISTINCT FROM `q_2`.`__ivm_among___ivm_set_of_customer_id`
  GROUP BY
    CASE
      WHEN `q`.`__ivm_set_of_customer_id` IN (0, 1, 5)
      THEN `q`.`orders_customer_id`
    END,
    CASE
      WHEN `q`.`__ivm_set_of_customer_id` IN (0)
      THEN year(`q`.`orders_ordered_on`)
    END,
    `q`.`__ivm_set_of_customer_id`
) AS `q_3`
  ON `ivm_materialized_change`.`customer_id` IS NOT DISTINCT FROM `q_3`.`customer_id`
  AND `ivm_materialized_change`.`y` IS NOT DISTINCT FROM `q_3`.`y`
  AND `ivm_materialized_change`.`__ivm_set_of_customer_id` IS NOT DISTINCT FROM `q_3`.`__ivm_set_of_customer_id`
) as s
on `t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id` AND `t`.`y` IS NOT DISTINCT FROM `s`.`y` AND `t`.`__ivm_set_of_customer_id` IS NOT DISTINCT FROM `s`.`__ivm_set_of_customer_id`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0 OR `s`.`__ivm_nonnull_revenue` <> 0 OR `s`.`revenue` <> 0 OR NOT (`t`.`notes` IS NOT DISTINCT FROM `s`.`__ivm_fresh_notes`)) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END,
  `__ivm_nonnull_revenue` = CASE WHEN `t`.`__ivm_nonnull_revenue` + `s`.`__ivm_nonnull_revenue` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_nonnull_revenue` + `s`.`__ivm_nonnull_revenue` END,
  `revenue` = CASE WHEN `t`.`__ivm_nonnull_revenue` + `s`.`__ivm_nonnull_revenue` <> 0 THEN CAST(COALESCE(`t`.`revenue`, 0) + COALESCE(`s`.`revenue`, 0) AS DECIMAL(22, 2)) END,
  `notes` = `s`.`__ivm_fresh_notes`
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `__ivm_nonnull_revenue`, `revenue`, `notes`, `customer_id`, `y`, `__ivm_set_of_customer_id`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`__ivm_nonnull_revenue`,
  CASE WHEN `s`.`__ivm_nonnull_revenue` <> 0 THEN CAST(`s`.`revenue` AS DECIMAL(22, 2)) END,
  `s`.`__ivm_fresh_notes`,
  `s`.`customer_id`,
  `s`.`y`,
  `s`.`__ivm_set_of_customer_id`
)
