-- view
select c.segment, sum(o.amount) as revenue from shop.orders o join shop.customers c using (customer_id) where o.amount > 1 group by 1

-- types
--revenue decimal(22,2)
--__ivm_argument_revenue decimal(12,2)

-- state
SELECT
  `q`.`segment` AS `segment`,
  `q`.`__ivm_nonnull_revenue` AS `__ivm_nonnull_revenue`,
  `q`.`revenue` AS `revenue`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `c`.`segment` AS `segment`,
    COUNT(`o`.`amount`) AS `__ivm_nonnull_revenue`,
    CAST(SUM(`o`.`amount`) AS DECIMAL(22, 2)) AS `revenue`,
    COUNT(1) AS `__ivm_count`
  FROM `shop`.`orders` VERSION AS OF 9 AS `o`
  JOIN `shop`.`customers` VERSION AS OF 9 AS `c`
    ON `o`.`customer_id` = `c`.`customer_id` AND `o`.`amount` > 1
  GROUP BY
    `c`.`segment`
) AS `q`

-- visible
SELECT
  `state`.`segment` AS `segment_2`,
  `state`.`revenue` AS `revenue_2`
FROM `shop`.`v__ivm` AS `state`

-- merge of inserts in customers
merge into `shop`.`v__ivm` as t
using (
SELECT
  `c`.`segment` AS `segment`,
  COALESCE(SUM(CASE WHEN NOT `o`.`amount` IS NULL THEN `c`.`__ivm_weight` ELSE 0 END), 0) AS `__ivm_nonnull_revenue`,
  SUM(CASE WHEN `c`.`__ivm_weight` > 0 THEN `o`.`amount` ELSE -(
    `o`.`amount`
  ) END) AS `revenue`,
  COALESCE(SUM(`c`.`__ivm_weight`), 0) AS `__ivm_count`
FROM (
  SELECT
    `customer_id`,
    `segment`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`customers`', 8, 9)
) AS `c`
JOIN `shop`.`orders` VERSION AS OF 9 AS `o`
  ON `o`.`customer_id` = `c`.`customer_id` AND `o`.`amount` > 1
GROUP BY
  `c`.`segment`
) as s
on `t`.`segment` IS NOT DISTINCT FROM `s`.`segment`
when matched and (`s`.`__ivm_count` <> 0 OR `s`.`__ivm_nonnull_revenue` <> 0 OR `s`.`revenue` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END,
  `__ivm_nonnull_revenue` = CASE WHEN `t`.`__ivm_nonnull_revenue` + `s`.`__ivm_nonnull_revenue` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_nonnull_revenue` + `s`.`__ivm_nonnull_revenue` END,
  `revenue` = CASE WHEN `t`.`__ivm_nonnull_revenue` + `s`.`__ivm_nonnull_revenue` <> 0 THEN CAST(COALESCE(`t`.`revenue`, 0) + COALESCE(`s`.`revenue`, 0) AS DECIMAL(22, 2)) END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `__ivm_nonnull_revenue`, `revenue`, `segment`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`__ivm_nonnull_revenue`,
  CASE WHEN `s`.`__ivm_nonnull_revenue` <> 0 THEN CAST(`s`.`revenue` AS DECIMAL(22, 2)) END,
  `s`.`segment`
)

-- merge of inserts in orders
merge into `shop`.`v__ivm` as t
using (
SELECT
  `c`.`segment` AS `segment`,
  COALESCE(SUM(CASE WHEN NOT `o`.`amount` IS NULL THEN `o`.`__ivm_weight` ELSE 0 END), 0) AS `__ivm_nonnull_revenue`,
  SUM(CASE WHEN `o`.`__ivm_weight` > 0 THEN `o`.`amount` ELSE -(
    `o`.`amount`
  ) END) AS `revenue`,
  COALESCE(SUM(`o`.`__ivm_weight`), 0) AS `__ivm_count`
FROM (
  SELECT
    `customer_id`,
    `amount`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `o`
JOIN `shop`.`customers` VERSION AS OF 9 AS `c`
  ON `o`.`customer_id` = `c`.`customer_id` AND `o`.`amount` > 1
GROUP BY
  `c`.`segment`
) as s
on `t`.`segment` IS NOT DISTINCT FROM `s`.`segment`
when matched and (`s`.`__ivm_count` <> 0 OR `s`.`__ivm_nonnull_revenue` <> 0 OR `s`.`revenue` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END,
  `__ivm_nonnull_revenue` = CASE WHEN `t`.`__ivm_nonnull_revenue` + `s`.`__ivm_nonnull_revenue` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_nonnull_revenue` + `s`.`__ivm_nonnull_revenue` END,
  `revenue` = CASE WHEN `t`.`__ivm_nonnull_revenue` + `s`.`__ivm_nonnull_revenue` <> 0 THEN CAST(COALESCE(`t`.`revenue`, 0) + COALESCE(`s`.`revenue`, 0) AS DECIMAL(22, 2)) END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `__ivm_nonnull_revenue`, `revenue`, `segment`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`__ivm_nonnull_revenue`,
  CASE WHEN `s`.`__ivm_nonnull_revenue` <> 0 THEN CAST(`s`.`revenue` AS DECIMAL(22, 2)) END,
  `s`.`segment`
)

-- merge of changes in orders
merge into `shop`.`v__ivm` as t
using (
SELECT
  `c`.`segment` AS `segment`,
  COALESCE(SUM(CASE WHEN NOT `o`.`amount` IS NULL THEN `o`.`__ivm_weight` ELSE 0 END), 0) AS `__ivm_nonnull_revenue`,
  SUM(CASE WHEN `o`.`__ivm_weight` > 0 THEN `o`.`amount` ELSE -(
    `o`.`amount`
  ) END) AS `revenue`,
  COALESCE(SUM(`o`.`__ivm_weight`), 0) AS `__ivm_count`
FROM (
  SELECT
    `customer_id`,
    `amount`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `o`
JOIN `shop`.`customers` VERSION AS OF 9 AS `c`
  ON `o`.`customer_id` = `c`.`customer_id` AND `o`.`amount` > 1
GROUP BY
  `c`.`segment`
) as s
on `t`.`segment` IS NOT DISTINCT FROM `s`.`segment`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0 OR `s`.`__ivm_nonnull_revenue` <> 0 OR `s`.`revenue` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END,
  `__ivm_nonnull_revenue` = CASE WHEN `t`.`__ivm_nonnull_revenue` + `s`.`__ivm_nonnull_revenue` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_nonnull_revenue` + `s`.`__ivm_nonnull_revenue` END,
  `revenue` = CASE WHEN `t`.`__ivm_nonnull_revenue` + `s`.`__ivm_nonnull_revenue` <> 0 THEN CAST(COALESCE(`t`.`revenue`, 0) + COALESCE(`s`.`revenue`, 0) AS DECIMAL(22, 2)) END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `__ivm_nonnull_revenue`, `revenue`, `segment`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`__ivm_nonnull_revenue`,
  CASE WHEN `s`.`__ivm_nonnull_revenue` <> 0 THEN CAST(`s`.`revenue` AS DECIMAL(22, 2)) END,
  `s`.`segment`
)
