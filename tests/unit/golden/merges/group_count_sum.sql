-- view
select customer_id, count(*) as orders, sum(amount) as revenue from shop.orders group by customer_id

-- types
--revenue decimal(22,2)
--orders bigint
--__ivm_argument_revenue decimal(12,2)

-- state
SELECT
  `q`.`customer_id` AS `customer_id`,
  `q`.`__ivm_nonnull_revenue` AS `__ivm_nonnull_revenue`,
  `q`.`revenue` AS `revenue`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `orders`.`customer_id` AS `customer_id`,
    COUNT(`orders`.`amount`) AS `__ivm_nonnull_revenue`,
    CAST(SUM(`orders`.`amount`) AS DECIMAL(22, 2)) AS `revenue`,
    COUNT(1) AS `__ivm_count`
  FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
  GROUP BY
    `orders`.`customer_id`
) AS `q`

-- visible
SELECT
  `state`.`customer_id` AS `customer_id_2`,
  `state`.`__ivm_count` AS `orders_3`,
  `state`.`revenue` AS `revenue_2`
FROM `shop`.`v__ivm` AS `state`

-- merge of inserts in orders
merge into `shop`.`v__ivm` as t
using (
SELECT
  `orders`.`customer_id` AS `customer_id`,
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
    `amount`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `orders`
GROUP BY
  `orders`.`customer_id`
) as s
on `t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id`
when matched and (`s`.`__ivm_count` <> 0 OR `s`.`__ivm_nonnull_revenue` <> 0 OR `s`.`revenue` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END,
  `__ivm_nonnull_revenue` = CASE WHEN `t`.`__ivm_nonnull_revenue` + `s`.`__ivm_nonnull_revenue` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_nonnull_revenue` + `s`.`__ivm_nonnull_revenue` END,
  `revenue` = CASE WHEN `t`.`__ivm_nonnull_revenue` + `s`.`__ivm_nonnull_revenue` <> 0 THEN CAST(COALESCE(`t`.`revenue`, 0) + COALESCE(`s`.`revenue`, 0) AS DECIMAL(22, 2)) END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `__ivm_nonnull_revenue`, `revenue`, `customer_id`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`__ivm_nonnull_revenue`,
  CASE WHEN `s`.`__ivm_nonnull_revenue` <> 0 THEN CAST(`s`.`revenue` AS DECIMAL(22, 2)) END,
  `s`.`customer_id`
)

-- merge of changes in orders
merge into `shop`.`v__ivm` as t
using (
SELECT
  `orders`.`customer_id` AS `customer_id`,
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
    `amount`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `orders`
GROUP BY
  `orders`.`customer_id`
) as s
on `t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0 OR `s`.`__ivm_nonnull_revenue` <> 0 OR `s`.`revenue` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END,
  `__ivm_nonnull_revenue` = CASE WHEN `t`.`__ivm_nonnull_revenue` + `s`.`__ivm_nonnull_revenue` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_nonnull_revenue` + `s`.`__ivm_nonnull_revenue` END,
  `revenue` = CASE WHEN `t`.`__ivm_nonnull_revenue` + `s`.`__ivm_nonnull_revenue` <> 0 THEN CAST(COALESCE(`t`.`revenue`, 0) + COALESCE(`s`.`revenue`, 0) AS DECIMAL(22, 2)) END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `__ivm_nonnull_revenue`, `revenue`, `customer_id`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`__ivm_nonnull_revenue`,
  CASE WHEN `s`.`__ivm_nonnull_revenue` <> 0 THEN CAST(`s`.`revenue` AS DECIMAL(22, 2)) END,
  `s`.`customer_id`
)
