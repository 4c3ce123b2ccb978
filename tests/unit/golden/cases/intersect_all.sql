-- view
select customer_id from shop.customers intersect all select customer_id from shop.orders

-- state
SELECT
  `q`.`customer_id_3` AS `customer_id_3`,
  CAST(1 AS BIGINT) AS `__ivm_count`
FROM (
  SELECT
    `customers`.`customer_id` AS `customer_id_3`
  FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
  INTERSECT ALL
  SELECT
    `orders`.`customer_id` AS `customer_id_3`
  FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
) AS `q`

-- visible
SELECT
  `state`.`customer_id_3` AS `customer_id_3`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- merge of inserts in customers
cache table ivm_materialized_1 as
SELECT
  `customers`.`customer_id` AS `customer_id_3`,
  `customers`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `customer_id`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`customers`', 8, 9)
) AS `customers`;

cache table ivm_materialized_change as
SELECT
  `q_9`.`customer_id_3` AS `customer_id_3`,
  `q_9`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q_8`.`customer_id_3` AS `customer_id_3`,
    COALESCE(SUM(`q_8`.`__ivm_side`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `q_5`.`customer_id_3` AS `customer_id_3`,
      `q_5`.`__ivm_side` AS `__ivm_side`
    FROM (
      SELECT
        `q_4`.`customer_id_3` AS `customer_id_3`,
        `q_4`.`__ivm_side` AS `__ivm_side`,
        `q_4`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q_3`.`customer_id_3` AS `customer_id_3`,
          `q_3`.`__ivm_side` AS `__ivm_side`,
          SUM(`q_3`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `customers`.`customer_id` AS `customer_id_3`,
            `generated`.`__ivm_side` AS `__ivm_side`,
            1 AS `__ivm_weight`
          FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
          LEFT SEMI JOIN (
            SELECT DISTINCT
              `q`.`__ivm_touched_0` AS `__ivm_touched_0`
            FROM (
              SELECT
                `ivm_materialized_1`.`customer_id_3` AS `__ivm_touched_0`
              FROM ivm_materialized_1 AS `ivm_materialized_1`
              UNION ALL
              SELECT
                `orders`.`customer_id` AS `__ivm_touched_0`
              FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
              WHERE
                FALSE
            ) AS `q`
          ) AS `q_2`
            ON `customers`.`customer_id` IS NOT DISTINCT FROM `q_2`.`__ivm_touched_0`
          LATERAL VIEW
          EXPLODE(array(1, -1)) generated AS `__ivm_side`
          UNION ALL
          SELECT
            `ivm_materialized_1`.`customer_id_3` AS `customer_id_3`,
            -1 AS `__ivm_side`,
            -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
          FROM ivm_materialized_1 AS `ivm_materialized_1`
        ) AS `q_3`
        GROUP BY
          `q_3`.`customer_id_3`,
          `q_3`.`__ivm_side`
      ) AS `q_4`
      WHERE
        `q_4`.`__ivm_times` > 0
    ) AS `q_5`
    LATERAL VIEW
    EXPLODE(array_repeat(0, CAST(`q_5`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`
    INTERSECT ALL
    SELECT
      `orders`.`customer_id` AS `customer_id_3`,
      `generated_3`.`__ivm_side` AS `__ivm_side`
    FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
    LEFT SEMI JOIN (
      SELECT DISTINCT
        `q_6`.`__ivm_touched_0` AS `__ivm_touched_0`
      FROM (
        SELECT
          `ivm_materialized_1`.`customer_id_3` AS `__ivm_touched_0`
        FROM ivm_materialized_1 AS `ivm_materialized_1`
        UNION ALL
        SELECT
          `orders`.`customer_id` AS `__ivm_touched_0`
        FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
        WHERE
          FALSE
      ) AS `q_6`
    ) AS `q_7`
      ON `orders`.`customer_id` IS NOT DISTINCT FROM `q_7`.`__ivm_touched_0`
    LATERAL VIEW
    EXPLODE(array(1, -1)) generated_3 AS `__ivm_side`
  ) AS `q_8`
  GROUP BY
    `q_8`.`customer_id_3`
) AS `q_9`
WHERE
  `q_9`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
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
    `q_2`.`customer_id_3` AS `customer_id_3`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`customer_id_3` AS `customer_id_3`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`customer_id_3` AS `customer_id_3`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`customer_id_3` AS `__ivm_lost_customer_id_3`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`customer_id_3` IS NOT DISTINCT FROM `q`.`__ivm_lost_customer_id_3`
  ) AS `q_2`
  GROUP BY
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
on `s`.`__ivm_gone` AND `t`.`customer_id_3` IS NOT DISTINCT FROM `s`.`customer_id_3`
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`customer_id_3`, `__ivm_count`) values (
  `s`.`customer_id_3`,
  `s`.`__ivm_count`
)

-- merge of inserts in orders
cache table ivm_materialized_1 as
SELECT
  `orders`.`customer_id` AS `customer_id_3`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `customer_id`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `orders`;

cache table ivm_materialized_change as
SELECT
  `q_9`.`customer_id_3` AS `customer_id_3`,
  `q_9`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q_8`.`customer_id_3` AS `customer_id_3`,
    COALESCE(SUM(`q_8`.`__ivm_side`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `customers`.`customer_id` AS `customer_id_3`,
      `generated`.`__ivm_side` AS `__ivm_side`
    FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
    LEFT SEMI JOIN (
      SELECT DISTINCT
        `q`.`__ivm_touched_0` AS `__ivm_touched_0`
      FROM (
        SELECT
          `customers`.`customer_id` AS `__ivm_touched_0`
        FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
        WHERE
          FALSE
        UNION ALL
        SELECT
          `ivm_materialized_1`.`customer_id_3` AS `__ivm_touched_0`
        FROM ivm_materialized_1 AS `ivm_materialized_1`
      ) AS `q`
    ) AS `q_2`
      ON `customers`.`customer_id` IS NOT DISTINCT FROM `q_2`.`__ivm_touched_0`
    LATERAL VIEW
    EXPLODE(array(1, -1)) generated AS `__ivm_side`
    INTERSECT ALL
    SELECT
      `q_7`.`customer_id_3` AS `customer_id_3`,
      `q_7`.`__ivm_side` AS `__ivm_side`
    FROM (
      SELECT
        `q_6`.`customer_id_3` AS `customer_id_3`,
        `q_6`.`__ivm_side` AS `__ivm_side`,
        `q_6`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q_5`.`customer_id_3` AS `customer_id_3`,
          `q_5`.`__ivm_side` AS `__ivm_side`,
          SUM(`q_5`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `orders`.`customer_id` AS `customer_id_3`,
            `generated_2`.`__ivm_side` AS `__ivm_side`,
            1 AS `__ivm_weight`
          FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
          LEFT SEMI JOIN (
            SELECT DISTINCT
              `q_3`.`__ivm_touched_0` AS `__ivm_touched_0`
            FROM (
              SELECT
                `customers`.`customer_id` AS `__ivm_touched_0`
              FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
              WHERE
                FALSE
              UNION ALL
              SELECT
                `ivm_materialized_1`.`customer_id_3` AS `__ivm_touched_0`
              FROM ivm_materialized_1 AS `ivm_materialized_1`
            ) AS `q_3`
          ) AS `q_4`
            ON `orders`.`customer_id` IS NOT DISTINCT FROM `q_4`.`__ivm_touched_0`
          LATERAL VIEW
          EXPLODE(array(1, -1)) generated_2 AS `__ivm_side`
          UNION ALL
          SELECT
            `ivm_materialized_1`.`customer_id_3` AS `customer_id_3`,
            -1 AS `__ivm_side`,
            -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
          FROM ivm_materialized_1 AS `ivm_materialized_1`
        ) AS `q_5`
        GROUP BY
          `q_5`.`customer_id_3`,
          `q_5`.`__ivm_side`
      ) AS `q_6`
      WHERE
        `q_6`.`__ivm_times` > 0
    ) AS `q_7`
    LATERAL VIEW
    EXPLODE(array_repeat(0, CAST(`q_7`.`__ivm_times` AS INT))) generated_3 AS `__ivm_copy`
  ) AS `q_8`
  GROUP BY
    `q_8`.`customer_id_3`
) AS `q_9`
WHERE
  `q_9`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
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
    `q_2`.`customer_id_3` AS `customer_id_3`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`customer_id_3` AS `customer_id_3`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`customer_id_3` AS `customer_id_3`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`customer_id_3` AS `__ivm_lost_customer_id_3`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`customer_id_3` IS NOT DISTINCT FROM `q`.`__ivm_lost_customer_id_3`
  ) AS `q_2`
  GROUP BY
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
on `s`.`__ivm_gone` AND `t`.`customer_id_3` IS NOT DISTINCT FROM `s`.`customer_id_3`
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`customer_id_3`, `__ivm_count`) values (
  `s`.`customer_id_3`,
  `s`.`__ivm_count`
)

-- merge of changes in orders
cache table ivm_materialized_1 as
SELECT
  `orders`.`customer_id` AS `customer_id_3`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `customer_id`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `orders`;

cache table ivm_materialized_change as
SELECT
  `q_9`.`customer_id_3` AS `customer_id_3`,
  `q_9`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q_8`.`customer_id_3` AS `customer_id_3`,
    COALESCE(SUM(`q_8`.`__ivm_side`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `customers`.`customer_id` AS `customer_id_3`,
      `generated`.`__ivm_side` AS `__ivm_side`
    FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
    LEFT SEMI JOIN (
      SELECT DISTINCT
        `q`.`__ivm_touched_0` AS `__ivm_touched_0`
      FROM (
        SELECT
          `customers`.`customer_id` AS `__ivm_touched_0`
        FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
        WHERE
          FALSE
        UNION ALL
        SELECT
          `ivm_materialized_1`.`customer_id_3` AS `__ivm_touched_0`
        FROM ivm_materialized_1 AS `ivm_materialized_1`
      ) AS `q`
    ) AS `q_2`
      ON `customers`.`customer_id` IS NOT DISTINCT FROM `q_2`.`__ivm_touched_0`
    LATERAL VIEW
    EXPLODE(array(1, -1)) generated AS `__ivm_side`
    INTERSECT ALL
    SELECT
      `q_7`.`customer_id_3` AS `customer_id_3`,
      `q_7`.`__ivm_side` AS `__ivm_side`
    FROM (
      SELECT
        `q_6`.`customer_id_3` AS `customer_id_3`,
        `q_6`.`__ivm_side` AS `__ivm_side`,
        `q_6`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q_5`.`customer_id_3` AS `customer_id_3`,
          `q_5`.`__ivm_side` AS `__ivm_side`,
          SUM(`q_5`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `orders`.`customer_id` AS `customer_id_3`,
            `generated_2`.`__ivm_side` AS `__ivm_side`,
            1 AS `__ivm_weight`
          FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
          LEFT SEMI JOIN (
            SELECT DISTINCT
              `q_3`.`__ivm_touched_0` AS `__ivm_touched_0`
            FROM (
              SELECT
                `customers`.`customer_id` AS `__ivm_touched_0`
              FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
              WHERE
                FALSE
              UNION ALL
              SELECT
                `ivm_materialized_1`.`customer_id_3` AS `__ivm_touched_0`
              FROM ivm_materialized_1 AS `ivm_materialized_1`
            ) AS `q_3`
          ) AS `q_4`
            ON `orders`.`customer_id` IS NOT DISTINCT FROM `q_4`.`__ivm_touched_0`
          LATERAL VIEW
          EXPLODE(array(1, -1)) generated_2 AS `__ivm_side`
          UNION ALL
          SELECT
            `ivm_materialized_1`.`customer_id_3` AS `customer_id_3`,
            -1 AS `__ivm_side`,
            -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
          FROM ivm_materialized_1 AS `ivm_materialized_1`
        ) AS `q_5`
        GROUP BY
          `q_5`.`customer_id_3`,
          `q_5`.`__ivm_side`
      ) AS `q_6`
      WHERE
        `q_6`.`__ivm_times` > 0
    ) AS `q_7`
    LATERAL VIEW
    EXPLODE(array_repeat(0, CAST(`q_7`.`__ivm_times` AS INT))) generated_3 AS `__ivm_copy`
  ) AS `q_8`
  GROUP BY
    `q_8`.`customer_id_3`
) AS `q_9`
WHERE
  `q_9`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
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
    `q_2`.`customer_id_3` AS `customer_id_3`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`customer_id_3` AS `customer_id_3`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`customer_id_3` AS `customer_id_3`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`customer_id_3` AS `__ivm_lost_customer_id_3`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`customer_id_3` IS NOT DISTINCT FROM `q`.`__ivm_lost_customer_id_3`
  ) AS `q_2`
  GROUP BY
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
on `s`.`__ivm_gone` AND `t`.`customer_id_3` IS NOT DISTINCT FROM `s`.`customer_id_3`
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`customer_id_3`, `__ivm_count`) values (
  `s`.`customer_id_3`,
  `s`.`__ivm_count`
)
