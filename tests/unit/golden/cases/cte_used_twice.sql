-- view
with o as (select order_id, customer_id from shop.orders) select x.order_id, y.customer_id from o x join o y on x.order_id = y.customer_id

-- state
SELECT
  `q`.`order_id_3` AS `order_id_3`,
  `q`.`customer_id_3` AS `customer_id_3`,
  xxhash64(`q`.`order_id_3`, `q`.`customer_id_3`) AS `__ivm_hash`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `orders`.`order_id` AS `order_id_3`,
    `orders_2`.`customer_id` AS `customer_id_3`,
    COUNT(*) AS `__ivm_count`
  FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
  JOIN `shop`.`orders` VERSION AS OF 9 AS `orders_2`
    ON `orders`.`order_id` = `orders_2`.`customer_id`
  GROUP BY
    `orders`.`order_id`,
    `orders_2`.`customer_id`
) AS `q`

-- visible
SELECT
  `state`.`order_id_3` AS `order_id_3`,
  `state`.`customer_id_3` AS `customer_id_3`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- merge of inserts in orders
cache table ivm_kept_1 as
SELECT
  `orders_2`.`customer_id` AS `customer_id_2`,
  IF(`orders_2`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
FROM table_changes('`shop`.`orders`', 8, 9) AS `orders_2`;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`order_id_3` AS `order_id_3`,
  `q_3`.`customer_id_3` AS `customer_id_3`,
  `q_3`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q_3`.`order_id_3`, `q_3`.`customer_id_3`) AS `__ivm_hash`
FROM (
  SELECT
    `q_2`.`order_id` AS `order_id_3`,
    `q_2`.`customer_id_2` AS `customer_id_3`,
    COALESCE(SUM(`q_2`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `orders`.`order_id` AS `order_id`,
      `q`.`customer_id_2` AS `customer_id_2`,
      (
        IF(`orders`.`_change_type` IN ('insert', 'update_postimage'), 1, -1)
      ) * (
        `q`.`__ivm_weight`
      ) AS `__ivm_weight`
    FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
    JOIN (
      SELECT
        `orders_2`.`customer_id` AS `customer_id_2`,
        1 AS `__ivm_weight`
      FROM `shop`.`orders` VERSION AS OF 9 AS `orders_2`
      UNION ALL
      SELECT
        `ivm_kept_1`.`customer_id_2` AS `customer_id_2`,
        -`ivm_kept_1`.`__ivm_weight` AS `__ivm_weight`
      FROM ivm_kept_1 AS `ivm_kept_1`
    ) AS `q`
      ON `orders`.`order_id` = `q`.`customer_id_2`
    UNION ALL
    SELECT
      `orders`.`order_id` AS `order_id`,
      `ivm_kept_1`.`customer_id_2` AS `customer_id_2`,
      `ivm_kept_1`.`__ivm_weight` AS `__ivm_weight`
    FROM ivm_kept_1 AS `ivm_kept_1`
    JOIN `shop`.`orders` VERSION AS OF 9 AS `orders`
      ON `orders`.`order_id` = `ivm_kept_1`.`customer_id_2`
  ) AS `q_2`
  GROUP BY
    `q_2`.`order_id`,
    `q_2`.`customer_id_2`
) AS `q_3`
WHERE
  `q_3`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`order_id_3` IS NOT DISTINCT FROM `s`.`order_id_3` AND `t`.`customer_id_3` IS NOT DISTINCT FROM `s`.`customer_id_3`
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `order_id_3`, `customer_id_3`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`order_id_3`,
  `s`.`customer_id_3`,
  `s`.`__ivm_hash`
)

-- merge of changes in orders
cache table ivm_kept_1 as
SELECT
  `orders_2`.`customer_id` AS `customer_id_2`,
  IF(`orders_2`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
FROM table_changes('`shop`.`orders`', 8, 9) AS `orders_2`;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`order_id_3` AS `order_id_3`,
  `q_3`.`customer_id_3` AS `customer_id_3`,
  `q_3`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q_3`.`order_id_3`, `q_3`.`customer_id_3`) AS `__ivm_hash`
FROM (
  SELECT
    `q_2`.`order_id` AS `order_id_3`,
    `q_2`.`customer_id_2` AS `customer_id_3`,
    COALESCE(SUM(`q_2`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `orders`.`order_id` AS `order_id`,
      `q`.`customer_id_2` AS `customer_id_2`,
      (
        IF(`orders`.`_change_type` IN ('insert', 'update_postimage'), 1, -1)
      ) * (
        `q`.`__ivm_weight`
      ) AS `__ivm_weight`
    FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
    JOIN (
      SELECT
        `orders_2`.`customer_id` AS `customer_id_2`,
        1 AS `__ivm_weight`
      FROM `shop`.`orders` VERSION AS OF 9 AS `orders_2`
      UNION ALL
      SELECT
        `ivm_kept_1`.`customer_id_2` AS `customer_id_2`,
        -`ivm_kept_1`.`__ivm_weight` AS `__ivm_weight`
      FROM ivm_kept_1 AS `ivm_kept_1`
    ) AS `q`
      ON `orders`.`order_id` = `q`.`customer_id_2`
    UNION ALL
    SELECT
      `orders`.`order_id` AS `order_id`,
      `ivm_kept_1`.`customer_id_2` AS `customer_id_2`,
      `ivm_kept_1`.`__ivm_weight` AS `__ivm_weight`
    FROM ivm_kept_1 AS `ivm_kept_1`
    JOIN `shop`.`orders` VERSION AS OF 9 AS `orders`
      ON `orders`.`order_id` = `ivm_kept_1`.`customer_id_2`
  ) AS `q_2`
  GROUP BY
    `q_2`.`order_id`,
    `q_2`.`customer_id_2`
) AS `q_3`
WHERE
  `q_3`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`order_id_3` IS NOT DISTINCT FROM `s`.`order_id_3` AND `t`.`customer_id_3` IS NOT DISTINCT FROM `s`.`customer_id_3`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `order_id_3`, `customer_id_3`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`order_id_3`,
  `s`.`customer_id_3`,
  `s`.`__ivm_hash`
)
