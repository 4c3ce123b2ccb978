-- view
select c.name, t.orders from shop.customers c join (select customer_id, count(*) as orders from shop.orders group by 1) t using (customer_id)

-- types
--orders bigint

-- state
SELECT
  `c`.`name` AS `name`,
  `q`.`orders_2` AS `orders_4`,
  CAST(1 AS BIGINT) AS `__ivm_count`
FROM `shop`.`customers` VERSION AS OF 9 AS `c`
JOIN (
  SELECT
    `orders`.`customer_id` AS `customer_id`,
    count(1) AS `orders_2`
  FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
  GROUP BY
    `orders`.`customer_id`
) AS `q`
  ON `c`.`customer_id` = `q`.`customer_id`

-- visible
SELECT
  `state`.`name` AS `name`,
  `state`.`orders_4` AS `orders_4`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- merge of inserts in customers
cache table ivm_materialized_change as
SELECT
  `q_2`.`name` AS `name`,
  `q_2`.`orders_4` AS `orders_4`,
  `q_2`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `c`.`name` AS `name`,
    `q`.`orders_2` AS `orders_4`,
    COALESCE(SUM(`c`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `customer_id`,
      `name`,
      IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`customers`', 8, 9)
  ) AS `c`
  JOIN (
    SELECT
      `orders`.`customer_id` AS `customer_id`,
      count(1) AS `orders_2`
    FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
    GROUP BY
      `orders`.`customer_id`
  ) AS `q`
    ON `c`.`customer_id` = `q`.`customer_id`
  GROUP BY
    `c`.`name`,
    `q`.`orders_2`
) AS `q_2`
WHERE
  `q_2`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`name` AS `name`,
  `q_3`.`orders_4` AS `orders_4`,
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
    `q_2`.`name` AS `name`,
    `q_2`.`orders_4` AS `orders_4`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`name` AS `name`,
      `ivm_materialized_change`.`orders_4` AS `orders_4`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`name` AS `name`,
      `state`.`orders_4` AS `orders_4`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`name` AS `__ivm_lost_name`,
        `ivm_materialized_change`.`orders_4` AS `__ivm_lost_orders_4`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`name` IS NOT DISTINCT FROM `q`.`__ivm_lost_name`
      AND `state`.`orders_4` IS NOT DISTINCT FROM `q`.`__ivm_lost_orders_4`
  ) AS `q_2`
  GROUP BY
    `q_2`.`name`,
    `q_2`.`orders_4`
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
on `s`.`__ivm_gone` AND (`t`.`name` IS NOT DISTINCT FROM `s`.`name` AND `t`.`orders_4` IS NOT DISTINCT FROM `s`.`orders_4`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`name`, `orders_4`, `__ivm_count`) values (
  `s`.`name`,
  `s`.`orders_4`,
  `s`.`__ivm_count`
)

-- merge of inserts in orders
cache table ivm_materialized_1 as
SELECT
  `orders`.`customer_id` AS `orders_customer_id`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `customer_id`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `orders`;

cache table ivm_materialized_change as
SELECT
  `q_6`.`name` AS `name`,
  `q_6`.`orders_4` AS `orders_4`,
  `q_6`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `c`.`name` AS `name`,
    `q_5`.`orders_2` AS `orders_4`,
    COALESCE(SUM(`q_5`.`__ivm_side`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `q_4`.`orders_customer_id` AS `customer_id`,
      `q_4`.`__ivm_side` AS `__ivm_side`,
      count(1) AS `orders_2`
    FROM (
      SELECT
        `q_3`.`orders_customer_id` AS `orders_customer_id`,
        `q_3`.`__ivm_side` AS `__ivm_side`,
        `q_3`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q_2`.`orders_customer_id` AS `orders_customer_id`,
          `q_2`.`__ivm_side` AS `__ivm_side`,
          SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `orders`.`customer_id` AS `orders_customer_id`,
            `generated`.`__ivm_side` AS `__ivm_side`,
            1 AS `__ivm_weight`
          FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
          LEFT SEMI JOIN (
            SELECT DISTINCT
              `ivm_materialized_1`.`orders_customer_id` AS `__ivm_touched_0`
            FROM ivm_materialized_1 AS `ivm_materialized_1`
          ) AS `q`
            ON `orders`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_touched_0`
          LATERAL VIEW
          EXPLODE(array(1, -1)) generated AS `__ivm_side`
          UNION ALL
          SELECT
            `ivm_materialized_1`.`orders_customer_id` AS `orders_customer_id`,
            -1 AS `__ivm_side`,
            -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
          FROM ivm_materialized_1 AS `ivm_materialized_1`
        ) AS `q_2`
        GROUP BY
          `q_2`.`orders_customer_id`,
          `q_2`.`__ivm_side`
      ) AS `q_3`
      WHERE
        `q_3`.`__ivm_times` > 0
    ) AS `q_4`
    LATERAL VIEW
    EXPLODE(array_repeat(0, CAST(`q_4`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`
    GROUP BY
      `q_4`.`orders_customer_id`,
      `q_4`.`__ivm_side`
  ) AS `q_5`
  JOIN `shop`.`customers` VERSION AS OF 9 AS `c`
    ON `c`.`customer_id` = `q_5`.`customer_id`
  GROUP BY
    `c`.`name`,
    `q_5`.`orders_2`
) AS `q_6`
WHERE
  `q_6`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`name` AS `name`,
  `q_3`.`orders_4` AS `orders_4`,
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
    `q_2`.`name` AS `name`,
    `q_2`.`orders_4` AS `orders_4`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`name` AS `name`,
      `ivm_materialized_change`.`orders_4` AS `orders_4`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`name` AS `name`,
      `state`.`orders_4` AS `orders_4`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`name` AS `__ivm_lost_name`,
        `ivm_materialized_change`.`orders_4` AS `__ivm_lost_orders_4`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`name` IS NOT DISTINCT FROM `q`.`__ivm_lost_name`
      AND `state`.`orders_4` IS NOT DISTINCT FROM `q`.`__ivm_lost_orders_4`
  ) AS `q_2`
  GROUP BY
    `q_2`.`name`,
    `q_2`.`orders_4`
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
on `s`.`__ivm_gone` AND (`t`.`name` IS NOT DISTINCT FROM `s`.`name` AND `t`.`orders_4` IS NOT DISTINCT FROM `s`.`orders_4`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`name`, `orders_4`, `__ivm_count`) values (
  `s`.`name`,
  `s`.`orders_4`,
  `s`.`__ivm_count`
)

-- merge of changes in orders
cache table ivm_materialized_1 as
SELECT
  `orders`.`customer_id` AS `orders_customer_id`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `customer_id`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `orders`;

cache table ivm_materialized_change as
SELECT
  `q_6`.`name` AS `name`,
  `q_6`.`orders_4` AS `orders_4`,
  `q_6`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `c`.`name` AS `name`,
    `q_5`.`orders_2` AS `orders_4`,
    COALESCE(SUM(`q_5`.`__ivm_side`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `q_4`.`orders_customer_id` AS `customer_id`,
      `q_4`.`__ivm_side` AS `__ivm_side`,
      count(1) AS `orders_2`
    FROM (
      SELECT
        `q_3`.`orders_customer_id` AS `orders_customer_id`,
        `q_3`.`__ivm_side` AS `__ivm_side`,
        `q_3`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q_2`.`orders_customer_id` AS `orders_customer_id`,
          `q_2`.`__ivm_side` AS `__ivm_side`,
          SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `orders`.`customer_id` AS `orders_customer_id`,
            `generated`.`__ivm_side` AS `__ivm_side`,
            1 AS `__ivm_weight`
          FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
          LEFT SEMI JOIN (
            SELECT DISTINCT
              `ivm_materialized_1`.`orders_customer_id` AS `__ivm_touched_0`
            FROM ivm_materialized_1 AS `ivm_materialized_1`
          ) AS `q`
            ON `orders`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_touched_0`
          LATERAL VIEW
          EXPLODE(array(1, -1)) generated AS `__ivm_side`
          UNION ALL
          SELECT
            `ivm_materialized_1`.`orders_customer_id` AS `orders_customer_id`,
            -1 AS `__ivm_side`,
            -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
          FROM ivm_materialized_1 AS `ivm_materialized_1`
        ) AS `q_2`
        GROUP BY
          `q_2`.`orders_customer_id`,
          `q_2`.`__ivm_side`
      ) AS `q_3`
      WHERE
        `q_3`.`__ivm_times` > 0
    ) AS `q_4`
    LATERAL VIEW
    EXPLODE(array_repeat(0, CAST(`q_4`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`
    GROUP BY
      `q_4`.`orders_customer_id`,
      `q_4`.`__ivm_side`
  ) AS `q_5`
  JOIN `shop`.`customers` VERSION AS OF 9 AS `c`
    ON `c`.`customer_id` = `q_5`.`customer_id`
  GROUP BY
    `c`.`name`,
    `q_5`.`orders_2`
) AS `q_6`
WHERE
  `q_6`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`name` AS `name`,
  `q_3`.`orders_4` AS `orders_4`,
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
    `q_2`.`name` AS `name`,
    `q_2`.`orders_4` AS `orders_4`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`name` AS `name`,
      `ivm_materialized_change`.`orders_4` AS `orders_4`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`name` AS `name`,
      `state`.`orders_4` AS `orders_4`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`name` AS `__ivm_lost_name`,
        `ivm_materialized_change`.`orders_4` AS `__ivm_lost_orders_4`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`name` IS NOT DISTINCT FROM `q`.`__ivm_lost_name`
      AND `state`.`orders_4` IS NOT DISTINCT FROM `q`.`__ivm_lost_orders_4`
  ) AS `q_2`
  GROUP BY
    `q_2`.`name`,
    `q_2`.`orders_4`
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
on `s`.`__ivm_gone` AND (`t`.`name` IS NOT DISTINCT FROM `s`.`name` AND `t`.`orders_4` IS NOT DISTINCT FROM `s`.`orders_4`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`name`, `orders_4`, `__ivm_count`) values (
  `s`.`name`,
  `s`.`orders_4`,
  `s`.`__ivm_count`
)
