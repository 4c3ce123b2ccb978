-- view
with o as (select order_id, customer_id from shop.orders) select x.order_id, y.customer_id from o x join o y on x.order_id = y.customer_id

-- state
SELECT
  `orders`.`order_id` AS `order_id_3`,
  `orders_2`.`customer_id` AS `customer_id_3`,
  CAST(1 AS BIGINT) AS `__ivm_count`
FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
JOIN `shop`.`orders` VERSION AS OF 9 AS `orders_2`
  ON `orders`.`order_id` = `orders_2`.`customer_id`

-- visible
SELECT
  `state`.`order_id_3` AS `order_id_3`,
  `state`.`customer_id_3` AS `customer_id_3`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- insert of inserts in orders
cache table ivm_materialized_1 as
SELECT
  `orders_2`.`customer_id` AS `customer_id_2`,
  `orders_2`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `customer_id`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `orders_2`;

insert into `shop`.`v__ivm` (`order_id_3`, `customer_id_3`, `__ivm_count`)
SELECT
  `q_3`.`order_id_3` AS `order_id_3`,
  `q_3`.`customer_id_3` AS `customer_id_3`,
  CASE
    WHEN `q_3`.`__ivm_count` < 0
    THEN CAST(raise_error(
      'ivm: the state does not fit its sources (a negative count); run with --full-refresh'
    ) AS BIGINT)
    ELSE `q_3`.`__ivm_count`
  END AS `__ivm_count`
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
        `orders`.`__ivm_weight`
      ) * (
        `q`.`__ivm_weight`
      ) AS `__ivm_weight`
    FROM (
      SELECT
        `order_id`,
        IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
      FROM table_changes('`shop`.`orders`', 8, 9)
    ) AS `orders`
    JOIN (
      SELECT
        `orders_2`.`customer_id` AS `customer_id_2`,
        1 AS `__ivm_weight`
      FROM `shop`.`orders` VERSION AS OF 9 AS `orders_2`
      UNION ALL
      SELECT
        `ivm_materialized_1`.`customer_id_2` AS `customer_id_2`,
        -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
      FROM ivm_materialized_1 AS `ivm_materialized_1`
    ) AS `q`
      ON `orders`.`order_id` = `q`.`customer_id_2`
    UNION ALL
    SELECT
      `orders`.`order_id` AS `order_id`,
      `ivm_materialized_1`.`customer_id_2` AS `customer_id_2`,
      `ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
    FROM ivm_materialized_1 AS `ivm_materialized_1`
    JOIN `shop`.`orders` VERSION AS OF 9 AS `orders`
      ON `orders`.`order_id` = `ivm_materialized_1`.`customer_id_2`
  ) AS `q_2`
  GROUP BY
    `q_2`.`order_id`,
    `q_2`.`customer_id_2`
) AS `q_3`
WHERE
  `q_3`.`__ivm_count` <> 0 AND COALESCE(`q_3`.`__ivm_count`, 0) <> 0

-- merge of changes in orders
cache table ivm_materialized_1 as
SELECT
  `orders_2`.`customer_id` AS `customer_id_2`,
  `orders_2`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `customer_id`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `orders_2`;

cache table ivm_materialized_change as
SELECT
  `q_3`.`order_id_3` AS `order_id_3`,
  `q_3`.`customer_id_3` AS `customer_id_3`,
  `q_3`.`__ivm_count` AS `__ivm_count`
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
        `orders`.`__ivm_weight`
      ) * (
        `q`.`__ivm_weight`
      ) AS `__ivm_weight`
    FROM (
      SELECT
        `order_id`,
        IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
      FROM table_changes('`shop`.`orders`', 8, 9)
    ) AS `orders`
    JOIN (
      SELECT
        `orders_2`.`customer_id` AS `customer_id_2`,
        1 AS `__ivm_weight`
      FROM `shop`.`orders` VERSION AS OF 9 AS `orders_2`
      UNION ALL
      SELECT
        `ivm_materialized_1`.`customer_id_2` AS `customer_id_2`,
        -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
      FROM ivm_materialized_1 AS `ivm_materialized_1`
    ) AS `q`
      ON `orders`.`order_id` = `q`.`customer_id_2`
    UNION ALL
    SELECT
      `orders`.`order_id` AS `order_id`,
      `ivm_materialized_1`.`customer_id_2` AS `customer_id_2`,
      `ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
    FROM ivm_materialized_1 AS `ivm_materialized_1`
    JOIN `shop`.`orders` VERSION AS OF 9 AS `orders`
      ON `orders`.`order_id` = `ivm_materialized_1`.`customer_id_2`
  ) AS `q_2`
  GROUP BY
    `q_2`.`order_id`,
    `q_2`.`customer_id_2`
) AS `q_3`
WHERE
  `q_3`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`order_id_3` AS `order_id_3`,
  `q_3`.`customer_id_3` AS `customer_id_3`,
  CASE
    WHEN `q_3`.`__ivm_net` + `q_3`.`__ivm_found` < 0
    THEN CAST(raise_error(
      'ivm: the state does not fit its sources (a negative count); run with --full-refresh'
    ) AS BIGINT)
    ELSE `q_3`.`__ivm_net` + `q_3`.`__ivm_found`
  END AS `__ivm_count`,
  `generated`.`__ivm_gone` AS `__ivm_gone`
FROM (
  SELECT
    `q_2`.`order_id_3` AS `order_id_3`,
    `q_2`.`customer_id_3` AS `customer_id_3`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`order_id_3` AS `order_id_3`,
      `ivm_materialized_change`.`customer_id_3` AS `customer_id_3`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`order_id_3` AS `order_id_3`,
      `state`.`customer_id_3` AS `customer_id_3`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`order_id_3` AS `__ivm_lost_order_id_3`,
        `ivm_materialized_change`.`customer_id_3` AS `__ivm_lost_customer_id_3`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`order_id_3` IS NOT DISTINCT FROM `q`.`__ivm_lost_order_id_3`
      AND `state`.`customer_id_3` IS NOT DISTINCT FROM `q`.`__ivm_lost_customer_id_3`
  ) AS `q_2`
  GROUP BY
    `q_2`.`order_id_3`,
    `q_2`.`customer_id_3`
) AS `q_3`
LATERAL VIEW
EXPLODE(array(TRUE, FALSE)) generated AS `__ivm_gone`
WHERE
  IF(
    `generated`.`__ivm_gone`,
    `q_3`.`__ivm_net` < 0,
    CASE
      WHEN `q_3`.`__ivm_net` + `q_3`.`__ivm_found` < 0
      THEN CAST(raise_error(
        'ivm: the state does not fit its sources (a negative count); run with --full-refresh'
      ) AS BIGINT)
      ELSE `q_3`.`__ivm_net` + `q_3`.`__ivm_found`
    END > 0
  )
) as s
on `s`.`__ivm_gone` AND (`t`.`order_id_3` IS NOT DISTINCT FROM `s`.`order_id_3` AND `t`.`customer_id_3` IS NOT DISTINCT FROM `s`.`customer_id_3`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`order_id_3`, `customer_id_3`, `__ivm_count`) values (
  `s`.`order_id_3`,
  `s`.`customer_id_3`,
  `s`.`__ivm_count`
)
