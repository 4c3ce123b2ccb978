-- view
select o.order_id, c.segment from shop.orders o full join shop.customers c on o.customer_id < c.customer_id

-- state
SELECT
  `o`.`order_id` AS `order_id`,
  `c`.`segment` AS `segment`,
  CAST(1 AS BIGINT) AS `__ivm_count`
FROM `shop`.`orders` VERSION AS OF 9 AS `o`
FULL JOIN `shop`.`customers` VERSION AS OF 9 AS `c`
  ON `o`.`customer_id` < `c`.`customer_id`

-- visible
SELECT
  `state`.`order_id` AS `order_id`,
  `state`.`segment` AS `segment`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- merge of inserts in customers
cache table ivm_materialized_1 as
SELECT
  `c`.`customer_id` AS `c_customer_id`,
  `c`.`segment` AS `c_segment`,
  `c`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `customer_id`,
    `segment`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`customers`', 8, 9)
) AS `c`;

cache table ivm_materialized_2 as
SELECT
  `o`.`order_id` AS `o_order_id`,
  `o`.`customer_id` AS `o_customer_id`,
  1 AS `__ivm_weight`
FROM `shop`.`orders` VERSION AS OF 9 AS `o`
LEFT SEMI JOIN (
  SELECT
    `ivm_materialized_1`.`c_customer_id` AS `c_customer_id`,
    `ivm_materialized_1`.`c_segment` AS `c_segment`
  FROM ivm_materialized_1 AS `ivm_materialized_1`
) AS `q`
  ON `o`.`customer_id` < `q`.`c_customer_id`;

cache table ivm_materialized_change as
SELECT
  `q_10`.`order_id` AS `order_id`,
  `q_10`.`segment` AS `segment`,
  `q_10`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q_9`.`o_order_id` AS `order_id`,
    `q_9`.`c_segment` AS `segment`,
    COALESCE(SUM(`q_9`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `q_5`.`o_order_id` AS `o_order_id`,
      `q_5`.`o_customer_id` AS `o_customer_id`,
      `q_5`.`c_customer_id` AS `c_customer_id`,
      `q_5`.`c_segment` AS `c_segment`,
      `q_5`.`__ivm_weight` AS `__ivm_weight`
    FROM (
      SELECT
        `ivm_materialized_2`.`o_order_id` AS `o_order_id`,
        `ivm_materialized_2`.`o_customer_id` AS `o_customer_id`,
        `c`.`customer_id` AS `c_customer_id`,
        `c`.`segment` AS `c_segment`,
        `ivm_materialized_2`.`__ivm_weight` AS `__ivm_weight`
      FROM ivm_materialized_2 AS `ivm_materialized_2`
      LEFT JOIN `shop`.`customers` VERSION AS OF 9 AS `c`
        ON `ivm_materialized_2`.`o_customer_id` < `c`.`customer_id`
      UNION ALL
      SELECT
        `ivm_materialized_2`.`o_order_id` AS `o_order_id`,
        `ivm_materialized_2`.`o_customer_id` AS `o_customer_id`,
        `q_4`.`c_customer_id` AS `c_customer_id`,
        `q_4`.`c_segment` AS `c_segment`,
        -`ivm_materialized_2`.`__ivm_weight` AS `__ivm_weight`
      FROM ivm_materialized_2 AS `ivm_materialized_2`
      LEFT JOIN (
        SELECT
          `q_3`.`c_customer_id` AS `c_customer_id`,
          `q_3`.`c_segment` AS `c_segment`
        FROM (
          SELECT
            `q_2`.`c_customer_id` AS `c_customer_id`,
            `q_2`.`c_segment` AS `c_segment`,
            `q_2`.`__ivm_times` AS `__ivm_times`
          FROM (
            SELECT
              `q`.`c_customer_id` AS `c_customer_id`,
              `q`.`c_segment` AS `c_segment`,
              SUM(`q`.`__ivm_weight`) AS `__ivm_times`
            FROM (
              SELECT
                `c`.`customer_id` AS `c_customer_id`,
                `c`.`segment` AS `c_segment`,
                1 AS `__ivm_weight`
              FROM `shop`.`customers` VERSION AS OF 9 AS `c`
              UNION ALL
              SELECT
                `ivm_materialized_1`.`c_customer_id` AS `c_customer_id`,
                `ivm_materialized_1`.`c_segment` AS `c_segment`,
                -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
              FROM ivm_materialized_1 AS `ivm_materialized_1`
            ) AS `q`
            GROUP BY
              `q`.`c_customer_id`,
              `q`.`c_segment`
          ) AS `q_2`
          WHERE
            `q_2`.`__ivm_times` > 0
        ) AS `q_3`
        LATERAL VIEW
        EXPLODE(array_repeat(0, CAST(`q_3`.`__ivm_times` AS INT))) generated AS `__ivm_copy`
      ) AS `q_4`
        ON `ivm_materialized_2`.`o_customer_id` < `q_4`.`c_customer_id`
    ) AS `q_5`
    UNION ALL
    SELECT
      `q_7`.`o_order_id` AS `o_order_id`,
      `q_7`.`o_customer_id` AS `o_customer_id`,
      `q_8`.`c_customer_id` AS `c_customer_id`,
      `q_8`.`c_segment` AS `c_segment`,
      `q_8`.`__ivm_weight` AS `__ivm_weight`
    FROM (
      SELECT
        `o`.`order_id` AS `o_order_id`,
        `o`.`customer_id` AS `o_customer_id`
      FROM `shop`.`orders` VERSION AS OF 9 AS `o`
      WHERE
        FALSE
    ) AS `q_7`
    RIGHT JOIN (
      SELECT
        `ivm_materialized_1`.`c_customer_id` AS `c_customer_id`,
        `ivm_materialized_1`.`c_segment` AS `c_segment`,
        `ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
      FROM ivm_materialized_1 AS `ivm_materialized_1`
      LEFT ANTI JOIN (
        SELECT
          `o`.`order_id` AS `o_order_id`,
          `o`.`customer_id` AS `o_customer_id`
        FROM `shop`.`orders` VERSION AS OF 9 AS `o`
      ) AS `q_6`
        ON `q_6`.`o_customer_id` < `ivm_materialized_1`.`c_customer_id`
    ) AS `q_8`
      ON TRUE
  ) AS `q_9`
  GROUP BY
    `q_9`.`o_order_id`,
    `q_9`.`c_segment`
) AS `q_10`
WHERE
  `q_10`.`__ivm_count` <> 0;

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

-- merge of inserts in orders
cache table ivm_materialized_1 as
SELECT
  `o`.`order_id` AS `o_order_id`,
  `o`.`customer_id` AS `o_customer_id`,
  `o`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `order_id`,
    `customer_id`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `o`;

cache table ivm_materialized_2 as
SELECT
  `c`.`customer_id` AS `c_customer_id`,
  `c`.`segment` AS `c_segment`,
  1 AS `__ivm_weight`
FROM `shop`.`customers` VERSION AS OF 9 AS `c`
LEFT SEMI JOIN (
  SELECT
    `ivm_materialized_1`.`o_order_id` AS `o_order_id`,
    `ivm_materialized_1`.`o_customer_id` AS `o_customer_id`
  FROM ivm_materialized_1 AS `ivm_materialized_1`
) AS `q`
  ON `q`.`o_customer_id` < `c`.`customer_id`;

cache table ivm_materialized_change as
SELECT
  `q_8`.`order_id` AS `order_id`,
  `q_8`.`segment` AS `segment`,
  `q_8`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q_7`.`o_order_id` AS `order_id`,
    `q_7`.`c_segment` AS `segment`,
    COALESCE(SUM(`q_7`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `ivm_materialized_1`.`o_order_id` AS `o_order_id`,
      `ivm_materialized_1`.`o_customer_id` AS `o_customer_id`,
      `c`.`customer_id` AS `c_customer_id`,
      `c`.`segment` AS `c_segment`,
      `ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
    FROM ivm_materialized_1 AS `ivm_materialized_1`
    LEFT JOIN `shop`.`customers` VERSION AS OF 9 AS `c`
      ON `ivm_materialized_1`.`o_customer_id` < `c`.`customer_id`
    UNION ALL
    SELECT
      `q_6`.`o_order_id` AS `o_order_id`,
      `q_6`.`o_customer_id` AS `o_customer_id`,
      `q_5`.`c_customer_id` AS `c_customer_id`,
      `q_5`.`c_segment` AS `c_segment`,
      `q_5`.`__ivm_weight` AS `__ivm_weight`
    FROM (
      SELECT
        `o`.`order_id` AS `o_order_id`,
        `o`.`customer_id` AS `o_customer_id`
      FROM `shop`.`orders` VERSION AS OF 9 AS `o`
      WHERE
        FALSE
    ) AS `q_6`
    RIGHT JOIN (
      SELECT
        `ivm_materialized_2`.`c_customer_id` AS `c_customer_id`,
        `ivm_materialized_2`.`c_segment` AS `c_segment`,
        `ivm_materialized_2`.`__ivm_weight` AS `__ivm_weight`
      FROM ivm_materialized_2 AS `ivm_materialized_2`
      LEFT ANTI JOIN (
        SELECT
          `o`.`order_id` AS `o_order_id`,
          `o`.`customer_id` AS `o_customer_id`
        FROM `shop`.`orders` VERSION AS OF 9 AS `o`
      ) AS `q`
        ON `q`.`o_customer_id` < `ivm_materialized_2`.`c_customer_id`
      UNION ALL
      SELECT
        `ivm_materialized_2`.`c_customer_id` AS `c_customer_id`,
        `ivm_materialized_2`.`c_segment` AS `c_segment`,
        -`ivm_materialized_2`.`__ivm_weight` AS `__ivm_weight`
      FROM ivm_materialized_2 AS `ivm_materialized_2`
      LEFT ANTI JOIN (
        SELECT
          `q_3`.`o_order_id` AS `o_order_id`,
          `q_3`.`o_customer_id` AS `o_customer_id`
        FROM (
          SELECT
            `q_2`.`o_order_id` AS `o_order_id`,
            `q_2`.`o_customer_id` AS `o_customer_id`,
            SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
          FROM (
            SELECT
              `o`.`order_id` AS `o_order_id`,
              `o`.`customer_id` AS `o_customer_id`,
              1 AS `__ivm_weight`
            FROM `shop`.`orders` VERSION AS OF 9 AS `o`
            UNION ALL
            SELECT
              `ivm_materialized_1`.`o_order_id` AS `o_order_id`,
              `ivm_materialized_1`.`o_customer_id` AS `o_customer_id`,
              -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
            FROM ivm_materialized_1 AS `ivm_materialized_1`
          ) AS `q_2`
          GROUP BY
            `q_2`.`o_order_id`,
            `q_2`.`o_customer_id`
        ) AS `q_3`
        WHERE
          `q_3`.`__ivm_times` > 0
      ) AS `q_4`
        ON `q_4`.`o_customer_id` < `ivm_materialized_2`.`c_customer_id`
    ) AS `q_5`
      ON TRUE
  ) AS `q_7`
  GROUP BY
    `q_7`.`o_order_id`,
    `q_7`.`c_segment`
) AS `q_8`
WHERE
  `q_8`.`__ivm_count` <> 0;

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

-- merge of changes in orders
cache table ivm_materialized_1 as
SELECT
  `o`.`order_id` AS `o_order_id`,
  `o`.`customer_id` AS `o_customer_id`,
  `o`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `order_id`,
    `customer_id`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `o`;

cache table ivm_materialized_2 as
SELECT
  `c`.`customer_id` AS `c_customer_id`,
  `c`.`segment` AS `c_segment`,
  1 AS `__ivm_weight`
FROM `shop`.`customers` VERSION AS OF 9 AS `c`
LEFT SEMI JOIN (
  SELECT
    `ivm_materialized_1`.`o_order_id` AS `o_order_id`,
    `ivm_materialized_1`.`o_customer_id` AS `o_customer_id`
  FROM ivm_materialized_1 AS `ivm_materialized_1`
) AS `q`
  ON `q`.`o_customer_id` < `c`.`customer_id`;

cache table ivm_materialized_change as
SELECT
  `q_8`.`order_id` AS `order_id`,
  `q_8`.`segment` AS `segment`,
  `q_8`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q_7`.`o_order_id` AS `order_id`,
    `q_7`.`c_segment` AS `segment`,
    COALESCE(SUM(`q_7`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `ivm_materialized_1`.`o_order_id` AS `o_order_id`,
      `ivm_materialized_1`.`o_customer_id` AS `o_customer_id`,
      `c`.`customer_id` AS `c_customer_id`,
      `c`.`segment` AS `c_segment`,
      `ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
    FROM ivm_materialized_1 AS `ivm_materialized_1`
    LEFT JOIN `shop`.`customers` VERSION AS OF 9 AS `c`
      ON `ivm_materialized_1`.`o_customer_id` < `c`.`customer_id`
    UNION ALL
    SELECT
      `q_6`.`o_order_id` AS `o_order_id`,
      `q_6`.`o_customer_id` AS `o_customer_id`,
      `q_5`.`c_customer_id` AS `c_customer_id`,
      `q_5`.`c_segment` AS `c_segment`,
      `q_5`.`__ivm_weight` AS `__ivm_weight`
    FROM (
      SELECT
        `o`.`order_id` AS `o_order_id`,
        `o`.`customer_id` AS `o_customer_id`
      FROM `shop`.`orders` VERSION AS OF 9 AS `o`
      WHERE
        FALSE
    ) AS `q_6`
    RIGHT JOIN (
      SELECT
        `ivm_materialized_2`.`c_customer_id` AS `c_customer_id`,
        `ivm_materialized_2`.`c_segment` AS `c_segment`,
        `ivm_materialized_2`.`__ivm_weight` AS `__ivm_weight`
      FROM ivm_materialized_2 AS `ivm_materialized_2`
      LEFT ANTI JOIN (
        SELECT
          `o`.`order_id` AS `o_order_id`,
          `o`.`customer_id` AS `o_customer_id`
        FROM `shop`.`orders` VERSION AS OF 9 AS `o`
      ) AS `q`
        ON `q`.`o_customer_id` < `ivm_materialized_2`.`c_customer_id`
      UNION ALL
      SELECT
        `ivm_materialized_2`.`c_customer_id` AS `c_customer_id`,
        `ivm_materialized_2`.`c_segment` AS `c_segment`,
        -`ivm_materialized_2`.`__ivm_weight` AS `__ivm_weight`
      FROM ivm_materialized_2 AS `ivm_materialized_2`
      LEFT ANTI JOIN (
        SELECT
          `q_3`.`o_order_id` AS `o_order_id`,
          `q_3`.`o_customer_id` AS `o_customer_id`
        FROM (
          SELECT
            `q_2`.`o_order_id` AS `o_order_id`,
            `q_2`.`o_customer_id` AS `o_customer_id`,
            SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
          FROM (
            SELECT
              `o`.`order_id` AS `o_order_id`,
              `o`.`customer_id` AS `o_customer_id`,
              1 AS `__ivm_weight`
            FROM `shop`.`orders` VERSION AS OF 9 AS `o`
            UNION ALL
            SELECT
              `ivm_materialized_1`.`o_order_id` AS `o_order_id`,
              `ivm_materialized_1`.`o_customer_id` AS `o_customer_id`,
              -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
            FROM ivm_materialized_1 AS `ivm_materialized_1`
          ) AS `q_2`
          GROUP BY
            `q_2`.`o_order_id`,
            `q_2`.`o_customer_id`
        ) AS `q_3`
        WHERE
          `q_3`.`__ivm_times` > 0
      ) AS `q_4`
        ON `q_4`.`o_customer_id` < `ivm_materialized_2`.`c_customer_id`
    ) AS `q_5`
      ON TRUE
  ) AS `q_7`
  GROUP BY
    `q_7`.`o_order_id`,
    `q_7`.`c_segment`
) AS `q_8`
WHERE
  `q_8`.`__ivm_count` <> 0;

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
