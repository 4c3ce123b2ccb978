-- view
select o.order_id, c.segment from shop.orders o join shop.customers c on o.customer_id = c.customer_id

-- state
SELECT
  `o`.`order_id` AS `order_id`,
  `c`.`segment` AS `segment`,
  CAST(1 AS BIGINT) AS `__ivm_count`
FROM `shop`.`orders` VERSION AS OF 9 AS `o`
JOIN `shop`.`customers` VERSION AS OF 9 AS `c`
  ON `o`.`customer_id` = `c`.`customer_id`

-- visible
SELECT
  `state`.`order_id` AS `order_id`,
  `state`.`segment` AS `segment`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- insert of inserts in customers
insert into `shop`.`v__ivm` (`order_id`, `segment`, `__ivm_count`)
SELECT
  `q`.`order_id` AS `order_id`,
  `q`.`segment` AS `segment`,
  CASE
    WHEN `q`.`__ivm_count` < 0
    THEN CAST(raise_error(
      'ivm: the state does not fit its sources (a negative count); run with --full-refresh'
    ) AS BIGINT)
    ELSE `q`.`__ivm_count`
  END AS `__ivm_count`
FROM (
  SELECT
    `o`.`order_id` AS `order_id`,
    `c`.`segment` AS `segment`,
    COALESCE(SUM(`c`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `customer_id`,
      `segment`,
      IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`customers`', 8, 9)
  ) AS `c`
  JOIN `shop`.`orders` VERSION AS OF 9 AS `o`
    ON `o`.`customer_id` = `c`.`customer_id`
  GROUP BY
    `o`.`order_id`,
    `c`.`segment`
) AS `q`
WHERE
  `q`.`__ivm_count` <> 0 AND COALESCE(`q`.`__ivm_count`, 0) <> 0

-- insert of inserts in orders
insert into `shop`.`v__ivm` (`order_id`, `segment`, `__ivm_count`)
SELECT
  `q`.`order_id` AS `order_id`,
  `q`.`segment` AS `segment`,
  CASE
    WHEN `q`.`__ivm_count` < 0
    THEN CAST(raise_error(
      'ivm: the state does not fit its sources (a negative count); run with --full-refresh'
    ) AS BIGINT)
    ELSE `q`.`__ivm_count`
  END AS `__ivm_count`
FROM (
  SELECT
    `o`.`order_id` AS `order_id`,
    `c`.`segment` AS `segment`,
    COALESCE(SUM(`o`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `order_id`,
      `customer_id`,
      IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`orders`', 8, 9)
  ) AS `o`
  JOIN `shop`.`customers` VERSION AS OF 9 AS `c`
    ON `o`.`customer_id` = `c`.`customer_id`
  GROUP BY
    `o`.`order_id`,
    `c`.`segment`
) AS `q`
WHERE
  `q`.`__ivm_count` <> 0 AND COALESCE(`q`.`__ivm_count`, 0) <> 0

-- merge of changes in orders
cache table ivm_materialized_change as
SELECT
  `q`.`order_id` AS `order_id`,
  `q`.`segment` AS `segment`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `o`.`order_id` AS `order_id`,
    `c`.`segment` AS `segment`,
    COALESCE(SUM(`o`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `order_id`,
      `customer_id`,
      IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`orders`', 8, 9)
  ) AS `o`
  JOIN `shop`.`customers` VERSION AS OF 9 AS `c`
    ON `o`.`customer_id` = `c`.`customer_id`
  GROUP BY
    `o`.`order_id`,
    `c`.`segment`
) AS `q`
WHERE
  `q`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`order_id` AS `order_id`,
  `q_3`.`segment` AS `segment`,
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
    `q_2`.`order_id` AS `order_id`,
    `q_2`.`segment` AS `segment`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`order_id` AS `order_id`,
      `ivm_materialized_change`.`segment` AS `segment`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`order_id` AS `order_id`,
      `state`.`segment` AS `segment`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`order_id` AS `__ivm_lost_order_id`,
        `ivm_materialized_change`.`segment` AS `__ivm_lost_segment`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`order_id` IS NOT DISTINCT FROM `q`.`__ivm_lost_order_id`
      AND `state`.`segment` IS NOT DISTINCT FROM `q`.`__ivm_lost_segment`
  ) AS `q_2`
  GROUP BY
    `q_2`.`order_id`,
    `q_2`.`segment`
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
on `s`.`__ivm_gone` AND (`t`.`order_id` IS NOT DISTINCT FROM `s`.`order_id` AND `t`.`segment` IS NOT DISTINCT FROM `s`.`segment`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`order_id`, `segment`, `__ivm_count`) values (
  `s`.`order_id`,
  `s`.`segment`,
  `s`.`__ivm_count`
)
