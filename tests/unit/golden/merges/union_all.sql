-- view
select customer_id from shop.orders union all select user_id from shop.clicks

-- state
SELECT
  `q`.`customer_id_2` AS `customer_id_2`,
  CAST(1 AS BIGINT) AS `__ivm_count`
FROM (
  SELECT
    `orders`.`customer_id` AS `customer_id_2`
  FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
  UNION ALL
  SELECT
    `clicks`.`user_id` AS `customer_id_2`
  FROM `shop`.`clicks` VERSION AS OF 9 AS `clicks`
) AS `q`

-- visible
SELECT
  `state`.`customer_id_2` AS `customer_id_2`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- insert of inserts in clicks
insert into `shop`.`v__ivm` (`customer_id_2`, `__ivm_count`)
SELECT
  `q_2`.`customer_id_2` AS `customer_id_2`,
  CASE
    WHEN `q_2`.`__ivm_count` < 0
    THEN CAST(raise_error(
      'ivm: the state does not fit its sources (a negative count); run with --full-refresh'
    ) AS BIGINT)
    ELSE `q_2`.`__ivm_count`
  END AS `__ivm_count`
FROM (
  SELECT
    `q`.`customer_id_2` AS `customer_id_2`,
    COALESCE(SUM(`q`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `orders`.`customer_id` AS `customer_id_2`,
      0 AS `__ivm_weight`
    FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
    WHERE
      FALSE
    UNION ALL
    SELECT
      `clicks`.`user_id` AS `customer_id_2`,
      `clicks`.`__ivm_weight` AS `__ivm_weight`
    FROM (
      SELECT
        `user_id`,
        IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
      FROM table_changes('`shop`.`clicks`', 8, 9)
    ) AS `clicks`
  ) AS `q`
  GROUP BY
    `q`.`customer_id_2`
) AS `q_2`
WHERE
  `q_2`.`__ivm_count` <> 0 AND COALESCE(`q_2`.`__ivm_count`, 0) <> 0

-- insert of inserts in orders
insert into `shop`.`v__ivm` (`customer_id_2`, `__ivm_count`)
SELECT
  `q_2`.`customer_id_2` AS `customer_id_2`,
  CASE
    WHEN `q_2`.`__ivm_count` < 0
    THEN CAST(raise_error(
      'ivm: the state does not fit its sources (a negative count); run with --full-refresh'
    ) AS BIGINT)
    ELSE `q_2`.`__ivm_count`
  END AS `__ivm_count`
FROM (
  SELECT
    `q`.`customer_id_2` AS `customer_id_2`,
    COALESCE(SUM(`q`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `orders`.`customer_id` AS `customer_id_2`,
      `orders`.`__ivm_weight` AS `__ivm_weight`
    FROM (
      SELECT
        `customer_id`,
        IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
      FROM table_changes('`shop`.`orders`', 8, 9)
    ) AS `orders`
    UNION ALL
    SELECT
      `clicks`.`user_id` AS `customer_id_2`,
      0 AS `__ivm_weight`
    FROM `shop`.`clicks` VERSION AS OF 9 AS `clicks`
    WHERE
      FALSE
  ) AS `q`
  GROUP BY
    `q`.`customer_id_2`
) AS `q_2`
WHERE
  `q_2`.`__ivm_count` <> 0 AND COALESCE(`q_2`.`__ivm_count`, 0) <> 0

-- merge of changes in orders
cache table ivm_materialized_change as
SELECT
  `q_2`.`customer_id_2` AS `customer_id_2`,
  `q_2`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q`.`customer_id_2` AS `customer_id_2`,
    COALESCE(SUM(`q`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `orders`.`customer_id` AS `customer_id_2`,
      `orders`.`__ivm_weight` AS `__ivm_weight`
    FROM (
      SELECT
        `customer_id`,
        IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
      FROM table_changes('`shop`.`orders`', 8, 9)
    ) AS `orders`
    UNION ALL
    SELECT
      `clicks`.`user_id` AS `customer_id_2`,
      0 AS `__ivm_weight`
    FROM `shop`.`clicks` VERSION AS OF 9 AS `clicks`
    WHERE
      FALSE
  ) AS `q`
  GROUP BY
    `q`.`customer_id_2`
) AS `q_2`
WHERE
  `q_2`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`customer_id_2` AS `customer_id_2`,
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
    `q_2`.`customer_id_2` AS `customer_id_2`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`customer_id_2` AS `customer_id_2`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`customer_id_2` AS `customer_id_2`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`customer_id_2` AS `__ivm_lost_customer_id_2`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`customer_id_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_customer_id_2`
  ) AS `q_2`
  GROUP BY
    `q_2`.`customer_id_2`
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
on `s`.`__ivm_gone` AND `t`.`customer_id_2` IS NOT DISTINCT FROM `s`.`customer_id_2`
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`customer_id_2`, `__ivm_count`) values (
  `s`.`customer_id_2`,
  `s`.`__ivm_count`
)
