-- view
select order_id from shop.orders where customer_id in (select customer_id from shop.customers where segment = 'a')

-- state
SELECT
  `orders`.`order_id` AS `order_id`,
  CAST(1 AS BIGINT) AS `__ivm_count`
FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
WHERE
  (
    `orders`.`customer_id`
  ) IN (
    SELECT
      `customers`.`customer_id` AS `customer_id`
    FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
    WHERE
      `customers`.`segment` = 'a'
  )

-- visible
SELECT
  `state`.`order_id` AS `order_id`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- merge of inserts in customers
cache table ivm_materialized_1 as
SELECT
  `customers`.`customer_id` AS `customer_id`,
  `customers`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `customer_id`,
    `segment`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`customers`', 8, 9)
) AS `customers`
WHERE
  `customers`.`segment` = 'a';

cache table ivm_materialized_change as
SELECT
  `q_8`.`order_id` AS `order_id`,
  `q_8`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q_2`.`orders_order_id` AS `order_id`,
    COALESCE(SUM(`q_2`.`__ivm_weight` * `q_2`.`__ivm_kept_side`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `orders`.`order_id` AS `orders_order_id`,
      `orders`.`customer_id` AS `orders_customer_id`,
      `generated`.`__ivm_kept_side` AS `__ivm_kept_side`,
      1 AS `__ivm_weight`
    FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_1`.`customer_id` AS `customer_id`
      FROM ivm_materialized_1 AS `ivm_materialized_1`
    ) AS `q`
      ON `orders`.`customer_id` = `q`.`customer_id`
    LATERAL VIEW
    EXPLODE(array(1, -1)) generated AS `__ivm_kept_side`
  ) AS `q_2`
  LEFT SEMI JOIN (
    SELECT
      `q_6`.`customer_id` AS `customer_id`,
      `q_6`.`__ivm_side` AS `__ivm_side`
    FROM (
      SELECT
        `q_5`.`customer_id` AS `customer_id`,
        `q_5`.`__ivm_side` AS `__ivm_side`,
        SUM(`q_5`.`__ivm_weight`) AS `__ivm_times`
      FROM (
        SELECT
          `q_4`.`customer_id` AS `customer_id`,
          `generated_2`.`__ivm_side` AS `__ivm_side`,
          1 AS `__ivm_weight`
        FROM (
          SELECT
            `customers`.`customer_id` AS `customer_id`
          FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
          LEFT SEMI JOIN (
            SELECT DISTINCT
              `ivm_materialized_1`.`customer_id` AS `__ivm_touched_0`
            FROM ivm_materialized_1 AS `ivm_materialized_1`
          ) AS `q_3`
            ON `customers`.`customer_id` IS NOT DISTINCT FROM `q_3`.`__ivm_touched_0`
          WHERE
            `customers`.`segment` = 'a'
        ) AS `q_4`
        LATERAL VIEW
        EXPLODE(array(1, -1)) generated_2 AS `__ivm_side`
        UNION ALL
        SELECT
          `ivm_materialized_1`.`customer_id` AS `customer_id`,
          -1 AS `__ivm_side`,
          -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
        FROM ivm_materialized_1 AS `ivm_materialized_1`
      ) AS `q_5`
      GROUP BY
        `q_5`.`customer_id`,
        `q_5`.`__ivm_side`
    ) AS `q_6`
    WHERE
      `q_6`.`__ivm_times` > 0
  ) AS `q_7`
    ON `q_2`.`orders_customer_id` = `q_7`.`customer_id`
    AND `q_2`.`__ivm_kept_side` = `q_7`.`__ivm_side`
  GROUP BY
    `q_2`.`orders_order_id`
) AS `q_8`
WHERE
  `q_8`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`order_id` AS `order_id`,
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
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`order_id` AS `order_id`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`order_id` AS `order_id`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`order_id` AS `__ivm_lost_order_id`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`order_id` IS NOT DISTINCT FROM `q`.`__ivm_lost_order_id`
  ) AS `q_2`
  GROUP BY
    `q_2`.`order_id`
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
on `s`.`__ivm_gone` AND `t`.`order_id` IS NOT DISTINCT FROM `s`.`order_id`
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`order_id`, `__ivm_count`) values (
  `s`.`order_id`,
  `s`.`__ivm_count`
)

-- merge of inserts in orders
cache table ivm_materialized_change as
SELECT
  `q_2`.`order_id` AS `order_id`,
  `q_2`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `orders`.`order_id` AS `order_id`,
    COALESCE(SUM(`orders`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `order_id`,
      `customer_id`,
      IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`orders`', 8, 9)
  ) AS `orders`
  LEFT SEMI JOIN (
    SELECT
      `customers`.`customer_id` AS `customer_id`
    FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
    WHERE
      `customers`.`segment` = 'a'
  ) AS `q`
    ON `orders`.`customer_id` = `q`.`customer_id`
  GROUP BY
    `orders`.`order_id`
) AS `q_2`
WHERE
  `q_2`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`order_id` AS `order_id`,
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
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`order_id` AS `order_id`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`order_id` AS `order_id`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`order_id` AS `__ivm_lost_order_id`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`order_id` IS NOT DISTINCT FROM `q`.`__ivm_lost_order_id`
  ) AS `q_2`
  GROUP BY
    `q_2`.`order_id`
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
on `s`.`__ivm_gone` AND `t`.`order_id` IS NOT DISTINCT FROM `s`.`order_id`
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`order_id`, `__ivm_count`) values (
  `s`.`order_id`,
  `s`.`__ivm_count`
)

-- merge of changes in orders
cache table ivm_materialized_change as
SELECT
  `q_2`.`order_id` AS `order_id`,
  `q_2`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `orders`.`order_id` AS `order_id`,
    COALESCE(SUM(`orders`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `order_id`,
      `customer_id`,
      IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`orders`', 8, 9)
  ) AS `orders`
  LEFT SEMI JOIN (
    SELECT
      `customers`.`customer_id` AS `customer_id`
    FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
    WHERE
      `customers`.`segment` = 'a'
  ) AS `q`
    ON `orders`.`customer_id` = `q`.`customer_id`
  GROUP BY
    `orders`.`order_id`
) AS `q_2`
WHERE
  `q_2`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`order_id` AS `order_id`,
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
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`order_id` AS `order_id`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`order_id` AS `order_id`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`order_id` AS `__ivm_lost_order_id`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`order_id` IS NOT DISTINCT FROM `q`.`__ivm_lost_order_id`
  ) AS `q_2`
  GROUP BY
    `q_2`.`order_id`
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
on `s`.`__ivm_gone` AND `t`.`order_id` IS NOT DISTINCT FROM `s`.`order_id`
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`order_id`, `__ivm_count`) values (
  `s`.`order_id`,
  `s`.`__ivm_count`
)
