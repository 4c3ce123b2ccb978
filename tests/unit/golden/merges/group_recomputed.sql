-- view
select customer_id, count(distinct note) as notes from shop.orders group by customer_id

-- types
--notes bigint

-- state
SELECT
  `q`.`customer_id` AS `customer_id`,
  `q`.`notes` AS `notes`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `orders`.`customer_id` AS `customer_id`,
    count(DISTINCT `orders`.`note`) AS `notes`,
    COUNT(1) AS `__ivm_count`
  FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
  GROUP BY
    `orders`.`customer_id`
) AS `q`

-- visible
SELECT
  `state`.`customer_id` AS `customer_id_2`,
  `state`.`notes` AS `notes_2`
FROM `shop`.`v__ivm` AS `state`

-- merge of inserts in orders
cache table ivm_materialized_change as
SELECT
  `orders`.`customer_id` AS `customer_id`,
  COALESCE(SUM(`orders`.`__ivm_weight`), 0) AS `__ivm_count`
FROM (
  SELECT
    `customer_id`,
    `note`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `orders`
GROUP BY
  `orders`.`customer_id`;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `ivm_materialized_change`.`customer_id` AS `customer_id`,
  `ivm_materialized_change`.`__ivm_count` AS `__ivm_count`,
  `q_2`.`notes` AS `__ivm_fresh_notes`,
  `q_2`.`__ivm_count` AS `__ivm_fresh___ivm_count`
FROM ivm_materialized_change AS `ivm_materialized_change`
LEFT JOIN (
  SELECT
    `orders`.`customer_id` AS `customer_id`,
    count(DISTINCT `orders`.`note`) AS `notes`,
    COUNT(1) AS `__ivm_count`
  FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
  LEFT SEMI JOIN (
    SELECT
      `ivm_materialized_change`.`customer_id` AS `__ivm_among_customer_id`
    FROM ivm_materialized_change AS `ivm_materialized_change`
  ) AS `q`
    ON `orders`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_among_customer_id`
  GROUP BY
    `orders`.`customer_id`
) AS `q_2`
  ON `ivm_materialized_change`.`customer_id` IS NOT DISTINCT FROM `q_2`.`customer_id`
) as s
on `t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id`
when matched and (`s`.`__ivm_count` <> 0 OR NOT (`t`.`notes` IS NOT DISTINCT FROM `s`.`__ivm_fresh_notes`)) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END,
  `notes` = `s`.`__ivm_fresh_notes`
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `notes`, `customer_id`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`__ivm_fresh_notes`,
  `s`.`customer_id`
)

-- merge of changes in orders
cache table ivm_materialized_change as
SELECT
  `orders`.`customer_id` AS `customer_id`,
  COALESCE(SUM(`orders`.`__ivm_weight`), 0) AS `__ivm_count`
FROM (
  SELECT
    `customer_id`,
    `note`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `orders`
GROUP BY
  `orders`.`customer_id`;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `ivm_materialized_change`.`customer_id` AS `customer_id`,
  `ivm_materialized_change`.`__ivm_count` AS `__ivm_count`,
  `q_2`.`notes` AS `__ivm_fresh_notes`,
  `q_2`.`__ivm_count` AS `__ivm_fresh___ivm_count`
FROM ivm_materialized_change AS `ivm_materialized_change`
LEFT JOIN (
  SELECT
    `orders`.`customer_id` AS `customer_id`,
    count(DISTINCT `orders`.`note`) AS `notes`,
    COUNT(1) AS `__ivm_count`
  FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
  LEFT SEMI JOIN (
    SELECT
      `ivm_materialized_change`.`customer_id` AS `__ivm_among_customer_id`
    FROM ivm_materialized_change AS `ivm_materialized_change`
  ) AS `q`
    ON `orders`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_among_customer_id`
  GROUP BY
    `orders`.`customer_id`
) AS `q_2`
  ON `ivm_materialized_change`.`customer_id` IS NOT DISTINCT FROM `q_2`.`customer_id`
) as s
on `t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0 OR NOT (`t`.`notes` IS NOT DISTINCT FROM `s`.`__ivm_fresh_notes`)) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END,
  `notes` = `s`.`__ivm_fresh_notes`
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `notes`, `customer_id`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`__ivm_fresh_notes`,
  `s`.`customer_id`
)
