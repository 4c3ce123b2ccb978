-- view
select customer_id, min(amount) as lowest, max(ordered_on) as newest from shop.orders group by customer_id

-- types
--lowest decimal(12,2)
--newest date
--__ivm_argument_lowest decimal(12,2)
--__ivm_argument_newest date

-- state
SELECT
  `q`.`customer_id` AS `customer_id`,
  `q`.`lowest` AS `lowest`,
  `q`.`newest` AS `newest`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `orders`.`customer_id` AS `customer_id`,
    MIN(`orders`.`amount`) AS `lowest`,
    MAX(`orders`.`ordered_on`) AS `newest`,
    COUNT(1) AS `__ivm_count`
  FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
  GROUP BY
    `orders`.`customer_id`
) AS `q`

-- visible
SELECT
  `state`.`customer_id` AS `customer_id_2`,
  `state`.`lowest` AS `lowest_2`,
  `state`.`newest` AS `newest_2`
FROM `shop`.`v__ivm` AS `state`

-- merge of inserts in orders
merge into `shop`.`v__ivm` as t
using (
SELECT
  `orders`.`customer_id` AS `customer_id`,
  MIN(`orders`.`amount`) AS `lowest`,
  MAX(`orders`.`ordered_on`) AS `newest`,
  COALESCE(SUM(`orders`.`__ivm_weight`), 0) AS `__ivm_count`
FROM (
  SELECT
    `customer_id`,
    `ordered_on`,
    `amount`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `orders`
GROUP BY
  `orders`.`customer_id`
) as s
on `t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id`
when matched and (`s`.`__ivm_count` <> 0 OR NOT (`t`.`lowest` IS NOT DISTINCT FROM least(`t`.`lowest`, `s`.`lowest`)) OR NOT (`t`.`newest` IS NOT DISTINCT FROM greatest(`t`.`newest`, `s`.`newest`))) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END,
  `lowest` = least(`t`.`lowest`, `s`.`lowest`),
  `newest` = greatest(`t`.`newest`, `s`.`newest`)
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `lowest`, `newest`, `customer_id`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`lowest`,
  `s`.`newest`,
  `s`.`customer_id`
)

-- merge of changes in orders
cache table ivm_materialized_change as
SELECT
  `orders`.`customer_id` AS `customer_id`,
  MIN(CASE WHEN `orders`.`__ivm_weight` > 0 THEN `orders`.`amount` END) AS `lowest`,
  MIN(CASE WHEN `orders`.`__ivm_weight` < 0 THEN `orders`.`amount` END) AS `__ivm_lost_lowest`,
  MAX(CASE WHEN `orders`.`__ivm_weight` > 0 THEN `orders`.`ordered_on` END) AS `newest`,
  MAX(CASE WHEN `orders`.`__ivm_weight` < 0 THEN `orders`.`ordered_on` END) AS `__ivm_lost_newest`,
  COALESCE(SUM(`orders`.`__ivm_weight`), 0) AS `__ivm_count`
FROM (
  SELECT
    `customer_id`,
    `ordered_on`,
    `amount`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `orders`
GROUP BY
  `orders`.`customer_id`;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `ivm_materialized_change`.`customer_id` AS `customer_id`,
  `ivm_materialized_change`.`lowest` AS `lowest`,
  `ivm_materialized_change`.`__ivm_lost_lowest` AS `__ivm_lost_lowest`,
  `ivm_materialized_change`.`newest` AS `newest`,
  `ivm_materialized_change`.`__ivm_lost_newest` AS `__ivm_lost_newest`,
  `ivm_materialized_change`.`__ivm_count` AS `__ivm_count`,
  `q_2`.`lowest` AS `__ivm_fresh_lowest`,
  `q_2`.`newest` AS `__ivm_fresh_newest`,
  `q_2`.`__ivm_count` AS `__ivm_fresh___ivm_count`
FROM ivm_materialized_change AS `ivm_materialized_change`
LEFT JOIN (
  SELECT
    `orders`.`customer_id` AS `customer_id`,
    MIN(`orders`.`amount`) AS `lowest`,
    MAX(`orders`.`ordered_on`) AS `newest`,
    COUNT(1) AS `__ivm_count`
  FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
  LEFT SEMI JOIN (
    SELECT
      `ivm_materialized_change`.`customer_id` AS `__ivm_among_customer_id`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    LEFT JOIN `shop`.`v__ivm` AS `state`
      ON `ivm_materialized_change`.`customer_id` IS NOT DISTINCT FROM `state`.`customer_id`
    WHERE
      `ivm_materialized_change`.`__ivm_lost_lowest` <= least(`state`.`lowest`, `ivm_materialized_change`.`lowest`)
      OR `ivm_materialized_change`.`__ivm_lost_newest` >= greatest(`state`.`newest`, `ivm_materialized_change`.`newest`)
  ) AS `q`
    ON `orders`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_among_customer_id`
  GROUP BY
    `orders`.`customer_id`
) AS `q_2`
  ON `ivm_materialized_change`.`customer_id` IS NOT DISTINCT FROM `q_2`.`customer_id`
) as s
on `t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0 OR NOT (`t`.`lowest` IS NOT DISTINCT FROM CASE WHEN NOT `s`.`__ivm_fresh___ivm_count` IS NULL THEN `s`.`__ivm_fresh_lowest` ELSE least(`t`.`lowest`, `s`.`lowest`) END) OR NOT (`t`.`newest` IS NOT DISTINCT FROM CASE WHEN NOT `s`.`__ivm_fresh___ivm_count` IS NULL THEN `s`.`__ivm_fresh_newest` ELSE greatest(`t`.`newest`, `s`.`newest`) END)) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END,
  `lowest` = CASE WHEN NOT `s`.`__ivm_fresh___ivm_count` IS NULL THEN `s`.`__ivm_fresh_lowest` ELSE least(`t`.`lowest`, `s`.`lowest`) END,
  `newest` = CASE WHEN NOT `s`.`__ivm_fresh___ivm_count` IS NULL THEN `s`.`__ivm_fresh_newest` ELSE greatest(`t`.`newest`, `s`.`newest`) END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `lowest`, `newest`, `customer_id`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  CASE WHEN NOT `s`.`__ivm_fresh___ivm_count` IS NULL THEN `s`.`__ivm_fresh_lowest` ELSE `s`.`lowest` END,
  CASE WHEN NOT `s`.`__ivm_fresh___ivm_count` IS NULL THEN `s`.`__ivm_fresh_newest` ELSE `s`.`newest` END,
  `s`.`customer_id`
)
