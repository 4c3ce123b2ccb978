-- view
select customer_id, count(*) filter (where amount > 5) as big, sum(amount) filter (where note is null) as plain from shop.orders group by all

-- types
--big bigint
--plain decimal(22,2)
--__ivm_argument_plain decimal(12,2)

-- state
SELECT
  `q`.`customer_id` AS `customer_id`,
  `q`.`big` AS `big`,
  `q`.`__ivm_nonnull_plain` AS `__ivm_nonnull_plain`,
  `q`.`plain` AS `plain`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `orders`.`customer_id` AS `customer_id`,
    COUNT(CASE WHEN `orders`.`amount` > 5 THEN 1 END) AS `big`,
    COUNT(CASE WHEN `orders`.`note` IS NULL THEN `orders`.`amount` END) AS `__ivm_nonnull_plain`,
    CAST(SUM(CASE WHEN `orders`.`note` IS NULL THEN `orders`.`amount` END) AS DECIMAL(22, 2)) AS `plain`,
    COUNT(1) AS `__ivm_count`
  FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
  GROUP BY
    `orders`.`customer_id`
) AS `q`

-- visible
SELECT
  `state`.`customer_id` AS `customer_id_2`,
  `state`.`big` AS `big_2`,
  `state`.`plain` AS `plain_2`
FROM `shop`.`v__ivm` AS `state`

-- merge of inserts in orders
merge into `shop`.`v__ivm` as t
using (
SELECT
  `orders`.`customer_id` AS `customer_id`,
  COALESCE(
    SUM(
      CASE
        WHEN NOT CASE WHEN `orders`.`amount` > 5 THEN 1 END IS NULL
        THEN `orders`.`__ivm_weight`
        ELSE 0
      END
    ),
    0
  ) AS `big`,
  COALESCE(
    SUM(
      CASE
        WHEN NOT CASE WHEN `orders`.`note` IS NULL THEN `orders`.`amount` END IS NULL
        THEN `orders`.`__ivm_weight`
        ELSE 0
      END
    ),
    0
  ) AS `__ivm_nonnull_plain`,
  SUM(
    CASE
      WHEN `orders`.`__ivm_weight` > 0
      THEN CASE WHEN `orders`.`note` IS NULL THEN `orders`.`amount` END
      ELSE -(
        CASE WHEN `orders`.`note` IS NULL THEN `orders`.`amount` END
      )
    END
  ) AS `plain`,
  COALESCE(SUM(`orders`.`__ivm_weight`), 0) AS `__ivm_count`
FROM (
  SELECT
    `customer_id`,
    `amount`,
    `note`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `orders`
GROUP BY
  `orders`.`customer_id`
) as s
on `t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id`
when matched and (`s`.`__ivm_count` <> 0 OR `s`.`big` <> 0 OR `s`.`__ivm_nonnull_plain` <> 0 OR `s`.`plain` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END,
  `big` = CASE WHEN `t`.`big` + `s`.`big` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`big` + `s`.`big` END,
  `__ivm_nonnull_plain` = CASE WHEN `t`.`__ivm_nonnull_plain` + `s`.`__ivm_nonnull_plain` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_nonnull_plain` + `s`.`__ivm_nonnull_plain` END,
  `plain` = CASE WHEN `t`.`__ivm_nonnull_plain` + `s`.`__ivm_nonnull_plain` <> 0 THEN CAST(COALESCE(`t`.`plain`, 0) + COALESCE(`s`.`plain`, 0) AS DECIMAL(22, 2)) END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `big`, `__ivm_nonnull_plain`, `plain`, `customer_id`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`big`,
  `s`.`__ivm_nonnull_plain`,
  CASE WHEN `s`.`__ivm_nonnull_plain` <> 0 THEN CAST(`s`.`plain` AS DECIMAL(22, 2)) END,
  `s`.`customer_id`
)

-- merge of changes in orders
merge into `shop`.`v__ivm` as t
using (
SELECT
  `orders`.`customer_id` AS `customer_id`,
  COALESCE(
    SUM(
      CASE
        WHEN NOT CASE WHEN `orders`.`amount` > 5 THEN 1 END IS NULL
        THEN `orders`.`__ivm_weight`
        ELSE 0
      END
    ),
    0
  ) AS `big`,
  COALESCE(
    SUM(
      CASE
        WHEN NOT CASE WHEN `orders`.`note` IS NULL THEN `orders`.`amount` END IS NULL
        THEN `orders`.`__ivm_weight`
        ELSE 0
      END
    ),
    0
  ) AS `__ivm_nonnull_plain`,
  SUM(
    CASE
      WHEN `orders`.`__ivm_weight` > 0
      THEN CASE WHEN `orders`.`note` IS NULL THEN `orders`.`amount` END
      ELSE -(
        CASE WHEN `orders`.`note` IS NULL THEN `orders`.`amount` END
      )
    END
  ) AS `plain`,
  COALESCE(SUM(`orders`.`__ivm_weight`), 0) AS `__ivm_count`
FROM (
  SELECT
    `customer_id`,
    `amount`,
    `note`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `orders`
GROUP BY
  `orders`.`customer_id`
) as s
on `t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0 OR `s`.`big` <> 0 OR `s`.`__ivm_nonnull_plain` <> 0 OR `s`.`plain` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END,
  `big` = CASE WHEN `t`.`big` + `s`.`big` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`big` + `s`.`big` END,
  `__ivm_nonnull_plain` = CASE WHEN `t`.`__ivm_nonnull_plain` + `s`.`__ivm_nonnull_plain` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_nonnull_plain` + `s`.`__ivm_nonnull_plain` END,
  `plain` = CASE WHEN `t`.`__ivm_nonnull_plain` + `s`.`__ivm_nonnull_plain` <> 0 THEN CAST(COALESCE(`t`.`plain`, 0) + COALESCE(`s`.`plain`, 0) AS DECIMAL(22, 2)) END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `big`, `__ivm_nonnull_plain`, `plain`, `customer_id`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`big`,
  `s`.`__ivm_nonnull_plain`,
  CASE WHEN `s`.`__ivm_nonnull_plain` <> 0 THEN CAST(`s`.`plain` AS DECIMAL(22, 2)) END,
  `s`.`customer_id`
)
