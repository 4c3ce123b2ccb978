-- view
select a.order_id, b.order_id as other from shop.orders a join shop.orders b on a.customer_id = b.customer_id

-- types
--other bigint

-- state
SELECT
  `a`.`order_id` AS `order_id`,
  `b`.`order_id` AS `other`,
  CAST(1 AS BIGINT) AS `__ivm_count`
FROM `shop`.`orders` VERSION AS OF 9 AS `a`
JOIN `shop`.`orders` VERSION AS OF 9 AS `b`
  ON `a`.`customer_id` = `b`.`customer_id`

-- visible
SELECT
  `state`.`order_id` AS `order_id`,
  `state`.`other` AS `other`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- insert of inserts in orders
cache table ivm_materialized_1 as
SELECT
  `b`.`order_id` AS `b_order_id`,
  `b`.`customer_id` AS `b_customer_id`,
  `b`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `order_id`,
    `customer_id`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `b`;

insert into `shop`.`v__ivm` (`order_id`, `other`, `__ivm_count`)
SELECT
  `q_3`.`order_id` AS `order_id`,
  `q_3`.`other` AS `other`,
  CASE
    WHEN `q_3`.`__ivm_count` < 0
    THEN CAST(raise_error(
      'ivm: the state does not fit its sources (a negative count); run with --full-refresh'
    ) AS BIGINT)
    ELSE `q_3`.`__ivm_count`
  END AS `__ivm_count`
FROM (
  SELECT
    `q_2`.`a_order_id` AS `order_id`,
    `q_2`.`b_order_id` AS `other`,
    COALESCE(SUM(`q_2`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `a`.`order_id` AS `a_order_id`,
      `a`.`customer_id` AS `a_customer_id`,
      `q`.`b_order_id` AS `b_order_id`,
      `q`.`b_customer_id` AS `b_customer_id`,
      (
        `a`.`__ivm_weight`
      ) * (
        `q`.`__ivm_weight`
      ) AS `__ivm_weight`
    FROM (
      SELECT
        `order_id`,
        `customer_id`,
        IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
      FROM table_changes('`shop`.`orders`', 8, 9)
    ) AS `a`
    JOIN (
      SELECT
        `b`.`order_id` AS `b_order_id`,
        `b`.`customer_id` AS `b_customer_id`,
        1 AS `__ivm_weight`
      FROM `shop`.`orders` VERSION AS OF 9 AS `b`
      UNION ALL
      SELECT
        `ivm_materialized_1`.`b_order_id` AS `b_order_id`,
        `ivm_materialized_1`.`b_customer_id` AS `b_customer_id`,
        -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
      FROM ivm_materialized_1 AS `ivm_materialized_1`
    ) AS `q`
      ON `a`.`customer_id` = `q`.`b_customer_id`
    UNION ALL
    SELECT
      `a`.`order_id` AS `a_order_id`,
      `a`.`customer_id` AS `a_customer_id`,
      `ivm_materialized_1`.`b_order_id` AS `b_order_id`,
      `ivm_materialized_1`.`b_customer_id` AS `b_customer_id`,
      `ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
    FROM ivm_materialized_1 AS `ivm_materialized_1`
    JOIN `shop`.`orders` VERSION AS OF 9 AS `a`
      ON `a`.`customer_id` = `ivm_materialized_1`.`b_customer_id`
  ) AS `q_2`
  GROUP BY
    `q_2`.`a_order_id`,
    `q_2`.`b_order_id`
) AS `q_3`
WHERE
  `q_3`.`__ivm_count` <> 0 AND COALESCE(`q_3`.`__ivm_count`, 0) <> 0

-- merge of changes in orders
cache table ivm_materialized_1 as
SELECT
  `b`.`order_id` AS `b_order_id`,
  `b`.`customer_id` AS `b_customer_id`,
  `b`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `order_id`,
    `customer_id`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `b`;

cache table ivm_materialized_change as
SELECT
  `q_3`.`order_id` AS `order_id`,
  `q_3`.`other` AS `other`,
  `q_3`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q_2`.`a_order_id` AS `order_id`,
    `q_2`.`b_order_id` AS `other`,
    COALESCE(SUM(`q_2`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `a`.`order_id` AS `a_order_id`,
      `a`.`customer_id` AS `a_customer_id`,
      `q`.`b_order_id` AS `b_order_id`,
      `q`.`b_customer_id` AS `b_customer_id`,
      (
        `a`.`__ivm_weight`
      ) * (
        `q`.`__ivm_weight`
      ) AS `__ivm_weight`
    FROM (
      SELECT
        `order_id`,
        `customer_id`,
        IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
      FROM table_changes('`shop`.`orders`', 8, 9)
    ) AS `a`
    JOIN (
      SELECT
        `b`.`order_id` AS `b_order_id`,
        `b`.`customer_id` AS `b_customer_id`,
        1 AS `__ivm_weight`
      FROM `shop`.`orders` VERSION AS OF 9 AS `b`
      UNION ALL
      SELECT
        `ivm_materialized_1`.`b_order_id` AS `b_order_id`,
        `ivm_materialized_1`.`b_customer_id` AS `b_customer_id`,
        -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
      FROM ivm_materialized_1 AS `ivm_materialized_1`
    ) AS `q`
      ON `a`.`customer_id` = `q`.`b_customer_id`
    UNION ALL
    SELECT
      `a`.`order_id` AS `a_order_id`,
      `a`.`customer_id` AS `a_customer_id`,
      `ivm_materialized_1`.`b_order_id` AS `b_order_id`,
      `ivm_materialized_1`.`b_customer_id` AS `b_customer_id`,
      `ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
    FROM ivm_materialized_1 AS `ivm_materialized_1`
    JOIN `shop`.`orders` VERSION AS OF 9 AS `a`
      ON `a`.`customer_id` = `ivm_materialized_1`.`b_customer_id`
  ) AS `q_2`
  GROUP BY
    `q_2`.`a_order_id`,
    `q_2`.`b_order_id`
) AS `q_3`
WHERE
  `q_3`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`order_id` AS `order_id`,
  `q_3`.`other` AS `other`,
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
    `q_2`.`other` AS `other`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`order_id` AS `order_id`,
      `ivm_materialized_change`.`other` AS `other`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`order_id` AS `order_id`,
      `state`.`other` AS `other`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`order_id` AS `__ivm_lost_order_id`,
        `ivm_materialized_change`.`other` AS `__ivm_lost_other`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`order_id` IS NOT DISTINCT FROM `q`.`__ivm_lost_order_id`
      AND `state`.`other` IS NOT DISTINCT FROM `q`.`__ivm_lost_other`
  ) AS `q_2`
  GROUP BY
    `q_2`.`order_id`,
    `q_2`.`other`
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
on `s`.`__ivm_gone` AND (`t`.`order_id` IS NOT DISTINCT FROM `s`.`order_id` AND `t`.`other` IS NOT DISTINCT FROM `s`.`other`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`order_id`, `other`, `__ivm_count`) values (
  `s`.`order_id`,
  `s`.`other`,
  `s`.`__ivm_count`
)
