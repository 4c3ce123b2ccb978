-- view
select *
from (select customer_id, note, amount from orders)
pivot (sum(amount) as total, count(*) as n for note in ('web', 'shop' as store))

-- types
web_total decimal(22,2)
store_total decimal(22,2)
web_count_1 bigint
web_n bigint
store_n bigint
__ivm_rows_of_web_n bigint
__ivm_rows_of_store_n bigint
__ivm_argument_web_total decimal(12,2)
__ivm_argument_store_total decimal(12,2)

-- state
SELECT
  `q`.`customer_id` AS `customer_id`,
  `q`.`__ivm_nonnull_web_total` AS `__ivm_nonnull_web_total`,
  `q`.`web_total` AS `web_total`,
  `q`.`web_n` AS `web_n`,
  `q`.`__ivm_nonnull_store_total` AS `__ivm_nonnull_store_total`,
  `q`.`store_total` AS `store_total`,
  `q`.`store_n` AS `store_n`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `orders`.`customer_id` AS `customer_id`,
    COUNT(
      CASE
        WHEN `orders`.`note` IS NOT DISTINCT FROM CAST('web' AS STRING)
        THEN `orders`.`amount`
      END
    ) AS `__ivm_nonnull_web_total`,
    CAST(SUM(
      CASE
        WHEN `orders`.`note` IS NOT DISTINCT FROM CAST('web' AS STRING)
        THEN `orders`.`amount`
      END
    ) AS DECIMAL(22, 2)) AS `web_total`,
    COUNT(CASE WHEN `orders`.`note` IS NOT DISTINCT FROM CAST('web' AS STRING) THEN 1 END) AS `web_n`,
    COUNT(
      CASE
        WHEN `orders`.`note` IS NOT DISTINCT FROM CAST('shop' AS STRING)
        THEN `orders`.`amount`
      END
    ) AS `__ivm_nonnull_store_total`,
    CAST(SUM(
      CASE
        WHEN `orders`.`note` IS NOT DISTINCT FROM CAST('shop' AS STRING)
        THEN `orders`.`amount`
      END
    ) AS DECIMAL(22, 2)) AS `store_total`,
    COUNT(CASE WHEN `orders`.`note` IS NOT DISTINCT FROM CAST('shop' AS STRING) THEN 1 END) AS `store_n`,
    COUNT(1) AS `__ivm_count`
  FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
  GROUP BY
    `orders`.`customer_id`
) AS `q`

-- visible
SELECT
  `state`.`customer_id` AS `customer_id_2`,
  `state`.`web_total` AS `web_total_2`,
  CASE WHEN `state`.`web_n` <> 0 THEN `state`.`web_n` END AS `web_n_2`,
  `state`.`store_total` AS `store_total_2`,
  CASE WHEN `state`.`store_n` <> 0 THEN `state`.`store_n` END AS `store_n_2`
FROM `shop`.`v__ivm` AS `state`

-- merge of inserts in orders
merge into `shop`.`v__ivm` as t
using (
SELECT
  `orders`.`customer_id` AS `customer_id`,
  COALESCE(
    SUM(
      CASE
        WHEN NOT CASE
          WHEN `orders`.`note` IS NOT DISTINCT FROM CAST('web' AS STRING)
          THEN `orders`.`amount`
        END IS NULL
        THEN `orders`.`__ivm_weight`
        ELSE 0
      END
    ),
    0
  ) AS `__ivm_nonnull_web_total`,
  SUM(
    CASE
      WHEN `orders`.`__ivm_weight` > 0
      THEN CASE
        WHEN `orders`.`note` IS NOT DISTINCT FROM CAST('web' AS STRING)
        THEN `orders`.`amount`
      END
      ELSE -(
        CASE
          WHEN `orders`.`note` IS NOT DISTINCT FROM CAST('web' AS STRING)
          THEN `orders`.`amount`
        END
      )
    END
  ) AS `web_total`,
  COALESCE(
    SUM(
      CASE
        WHEN NOT CASE WHEN `orders`.`note` IS NOT DISTINCT FROM CAST('web' AS STRING) THEN 1 END IS NULL
        THEN `orders`.`__ivm_weight`
        ELSE 0
      END
    ),
    0
  ) AS `web_n`,
  COALESCE(
    SUM(
      CASE
        WHEN NOT CASE
          WHEN `orders`.`note` IS NOT DISTINCT FROM CAST('shop' AS STRING)
          THEN `orders`.`amount`
        END IS NULL
        THEN `orders`.`__ivm_weight`
        ELSE 0
      END
    ),
    0
  ) AS `__ivm_nonnull_store_total`,
  SUM(
    CASE
      WHEN `orders`.`__ivm_weight` > 0
      THEN CASE
        WHEN `orders`.`note` IS NOT DISTINCT FROM CAST('shop' AS STRING)
        THEN `orders`.`amount`
      END
      ELSE -(
        CASE
          WHEN `orders`.`note` IS NOT DISTINCT FROM CAST('shop' AS STRING)
          THEN `orders`.`amount`
        END
      )
    END
  ) AS `store_total`,
  COALESCE(
    SUM(
      CASE
        WHEN NOT CASE WHEN `orders`.`note` IS NOT DISTINCT FROM CAST('shop' AS STRING) THEN 1 END IS NULL
        THEN `orders`.`__ivm_weight`
        ELSE 0
      END
    ),
    0
  ) AS `store_n`,
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
when matched and (`s`.`__ivm_count` <> 0 OR `s`.`__ivm_nonnull_web_total` <> 0 OR `s`.`web_total` <> 0 OR `s`.`web_n` <> 0 OR `s`.`__ivm_nonnull_store_total` <> 0 OR `s`.`store_total` <> 0 OR `s`.`store_n` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END,
  `__ivm_nonnull_web_total` = CASE WHEN `t`.`__ivm_nonnull_web_total` + `s`.`__ivm_nonnull_web_total` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_nonnull_web_total` + `s`.`__ivm_nonnull_web_total` END,
  `web_total` = CASE WHEN `t`.`__ivm_nonnull_web_total` + `s`.`__ivm_nonnull_web_total` <> 0 THEN CAST(COALESCE(`t`.`web_total`, 0) + COALESCE(`s`.`web_total`, 0) AS DECIMAL(22, 2)) END,
  `web_n` = CASE WHEN `t`.`web_n` + `s`.`web_n` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`web_n` + `s`.`web_n` END,
  `__ivm_nonnull_store_total` = CASE WHEN `t`.`__ivm_nonnull_store_total` + `s`.`__ivm_nonnull_store_total` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_nonnull_store_total` + `s`.`__ivm_nonnull_store_total` END,
  `store_total` = CASE WHEN `t`.`__ivm_nonnull_store_total` + `s`.`__ivm_nonnull_store_total` <> 0 THEN CAST(COALESCE(`t`.`store_total`, 0) + COALESCE(`s`.`store_total`, 0) AS DECIMAL(22, 2)) END,
  `store_n` = CASE WHEN `t`.`store_n` + `s`.`store_n` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`store_n` + `s`.`store_n` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `__ivm_nonnull_web_total`, `web_total`, `web_n`, `__ivm_nonnull_store_total`, `store_total`, `store_n`, `customer_id`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`__ivm_nonnull_web_total`,
  CASE WHEN `s`.`__ivm_nonnull_web_total` <> 0 THEN CAST(`s`.`web_total` AS DECIMAL(22, 2)) END,
  `s`.`web_n`,
  `s`.`__ivm_nonnull_store_total`,
  CASE WHEN `s`.`__ivm_nonnull_store_total` <> 0 THEN CAST(`s`.`store_total` AS DECIMAL(22, 2)) END,
  `s`.`store_n`,
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
        WHEN NOT CASE
          WHEN `orders`.`note` IS NOT DISTINCT FROM CAST('web' AS STRING)
          THEN `orders`.`amount`
        END IS NULL
        THEN `orders`.`__ivm_weight`
        ELSE 0
      END
    ),
    0
  ) AS `__ivm_nonnull_web_total`,
  SUM(
    CASE
      WHEN `orders`.`__ivm_weight` > 0
      THEN CASE
        WHEN `orders`.`note` IS NOT DISTINCT FROM CAST('web' AS STRING)
        THEN `orders`.`amount`
      END
      ELSE -(
        CASE
          WHEN `orders`.`note` IS NOT DISTINCT FROM CAST('web' AS STRING)
          THEN `orders`.`amount`
        END
      )
    END
  ) AS `web_total`,
  COALESCE(
    SUM(
      CASE
        WHEN NOT CASE WHEN `orders`.`note` IS NOT DISTINCT FROM CAST('web' AS STRING) THEN 1 END IS NULL
        THEN `orders`.`__ivm_weight`
        ELSE 0
      END
    ),
    0
  ) AS `web_n`,
  COALESCE(
    SUM(
      CASE
        WHEN NOT CASE
          WHEN `orders`.`note` IS NOT DISTINCT FROM CAST('shop' AS STRING)
          THEN `orders`.`amount`
        END IS NULL
        THEN `orders`.`__ivm_weight`
        ELSE 0
      END
    ),
    0
  ) AS `__ivm_nonnull_store_total`,
  SUM(
    CASE
      WHEN `orders`.`__ivm_weight` > 0
      THEN CASE
        WHEN `orders`.`note` IS NOT DISTINCT FROM CAST('shop' AS STRING)
        THEN `orders`.`amount`
      END
      ELSE -(
        CASE
          WHEN `orders`.`note` IS NOT DISTINCT FROM CAST('shop' AS STRING)
          THEN `orders`.`amount`
        END
      )
    END
  ) AS `store_total`,
  COALESCE(
    SUM(
      CASE
        WHEN NOT CASE WHEN `orders`.`note` IS NOT DISTINCT FROM CAST('shop' AS STRING) THEN 1 END IS NULL
        THEN `orders`.`__ivm_weight`
        ELSE 0
      END
    ),
    0
  ) AS `store_n`,
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
when matched and (`s`.`__ivm_count` <> 0 OR `s`.`__ivm_nonnull_web_total` <> 0 OR `s`.`web_total` <> 0 OR `s`.`web_n` <> 0 OR `s`.`__ivm_nonnull_store_total` <> 0 OR `s`.`store_total` <> 0 OR `s`.`store_n` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END,
  `__ivm_nonnull_web_total` = CASE WHEN `t`.`__ivm_nonnull_web_total` + `s`.`__ivm_nonnull_web_total` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_nonnull_web_total` + `s`.`__ivm_nonnull_web_total` END,
  `web_total` = CASE WHEN `t`.`__ivm_nonnull_web_total` + `s`.`__ivm_nonnull_web_total` <> 0 THEN CAST(COALESCE(`t`.`web_total`, 0) + COALESCE(`s`.`web_total`, 0) AS DECIMAL(22, 2)) END,
  `web_n` = CASE WHEN `t`.`web_n` + `s`.`web_n` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`web_n` + `s`.`web_n` END,
  `__ivm_nonnull_store_total` = CASE WHEN `t`.`__ivm_nonnull_store_total` + `s`.`__ivm_nonnull_store_total` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_nonnull_store_total` + `s`.`__ivm_nonnull_store_total` END,
  `store_total` = CASE WHEN `t`.`__ivm_nonnull_store_total` + `s`.`__ivm_nonnull_store_total` <> 0 THEN CAST(COALESCE(`t`.`store_total`, 0) + COALESCE(`s`.`store_total`, 0) AS DECIMAL(22, 2)) END,
  `store_n` = CASE WHEN `t`.`store_n` + `s`.`store_n` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`store_n` + `s`.`store_n` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `__ivm_nonnull_web_total`, `web_total`, `web_n`, `__ivm_nonnull_store_total`, `store_total`, `store_n`, `customer_id`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`__ivm_nonnull_web_total`,
  CASE WHEN `s`.`__ivm_nonnull_web_total` <> 0 THEN CAST(`s`.`web_total` AS DECIMAL(22, 2)) END,
  `s`.`web_n`,
  `s`.`__ivm_nonnull_store_total`,
  CASE WHEN `s`.`__ivm_nonnull_store_total` <> 0 THEN CAST(`s`.`store_total` AS DECIMAL(22, 2)) END,
  `s`.`store_n`,
  `s`.`customer_id`
)
