-- view
select o.order_id, c.segment from shop.orders o join shop.customers c on c.customer_id = o.customer_id and o.note not in (select name from shop.customers)

-- state
SELECT
  `o`.`order_id` AS `order_id`,
  `c`.`segment` AS `segment`,
  CAST(1 AS BIGINT) AS `__ivm_count`
FROM `shop`.`orders` VERSION AS OF 9 AS `o`
JOIN `shop`.`customers` VERSION AS OF 9 AS `c`
  ON `c`.`customer_id` = `o`.`customer_id`
LEFT ANTI JOIN (
  SELECT
    `customers`.`name` AS `name`
  FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
) AS `q`
  ON (
    (
      `o`.`note` = `q`.`name`
    ) OR (
      `o`.`note` = `q`.`name`
    ) IS NULL
  )

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
  `o`.`order_id` AS `o_order_id`,
  `o`.`customer_id` AS `o_customer_id`,
  `o`.`note` AS `o_note`,
  `c`.`customer_id` AS `c_customer_id`,
  `c`.`segment` AS `c_segment`,
  `c`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `customer_id`,
    `segment`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`customers`', 8, 9)
) AS `c`
JOIN `shop`.`orders` VERSION AS OF 9 AS `o`
  ON `c`.`customer_id` = `o`.`customer_id`;

cache table ivm_materialized_2 as
SELECT
  `customers`.`name` AS `name`,
  `customers`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `name`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`customers`', 8, 9)
) AS `customers`;

cache table ivm_materialized_3 as
SELECT
  `q`.`o_order_id` AS `o_order_id`,
  `q`.`o_customer_id` AS `o_customer_id`,
  `q`.`o_note` AS `o_note`,
  `q`.`c_customer_id` AS `c_customer_id`,
  `q`.`c_segment` AS `c_segment`,
  `q`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `o`.`order_id` AS `o_order_id`,
    `o`.`customer_id` AS `o_customer_id`,
    `o`.`note` AS `o_note`,
    `c`.`customer_id` AS `c_customer_id`,
    `c`.`segment` AS `c_segment`,
    1 AS `__ivm_weight`
  FROM `shop`.`orders` VERSION AS OF 9 AS `o`
  JOIN `shop`.`customers` VERSION AS OF 9 AS `c`
    ON `c`.`customer_id` = `o`.`customer_id`
  UNION ALL
  SELECT
    `ivm_materialized_1`.`o_order_id` AS `o_order_id`,
    `ivm_materialized_1`.`o_customer_id` AS `o_customer_id`,
    `ivm_materialized_1`.`o_note` AS `o_note`,
    `ivm_materialized_1`.`c_customer_id` AS `c_customer_id`,
    `ivm_materialized_1`.`c_segment` AS `c_segment`,
    -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
  FROM ivm_materialized_1 AS `ivm_materialized_1`
) AS `q`
LEFT SEMI JOIN (
  SELECT
    `ivm_materialized_2`.`name` AS `name`
  FROM ivm_materialized_2 AS `ivm_materialized_2`
) AS `q_2`
  ON `q`.`o_note` = `q_2`.`name`
UNION ALL
SELECT
  `q_3`.`o_order_id` AS `o_order_id`,
  `q_3`.`o_customer_id` AS `o_customer_id`,
  `q_3`.`o_note` AS `o_note`,
  `q_3`.`c_customer_id` AS `c_customer_id`,
  `q_3`.`c_segment` AS `c_segment`,
  `q_3`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `o`.`order_id` AS `o_order_id`,
    `o`.`customer_id` AS `o_customer_id`,
    `o`.`note` AS `o_note`,
    `c`.`customer_id` AS `c_customer_id`,
    `c`.`segment` AS `c_segment`,
    1 AS `__ivm_weight`
  FROM `shop`.`orders` VERSION AS OF 9 AS `o`
  JOIN `shop`.`customers` VERSION AS OF 9 AS `c`
    ON `c`.`customer_id` = `o`.`customer_id`
  UNION ALL
  SELECT
    `ivm_materialized_1`.`o_order_id` AS `o_order_id`,
    `ivm_materialized_1`.`o_customer_id` AS `o_customer_id`,
    `ivm_materialized_1`.`o_note` AS `o_note`,
    `ivm_materialized_1`.`c_customer_id` AS `c_customer_id`,
    `ivm_materialized_1`.`c_segment` AS `c_segment`,
    -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
  FROM ivm_materialized_1 AS `ivm_materialized_1`
) AS `q_3`
LEFT SEMI JOIN (
  SELECT
    `ivm_materialized_2`.`name` AS `name`
  FROM ivm_materialized_2 AS `ivm_materialized_2`
) AS `q_4`
  ON TRUE
WHERE
  (
    `q_3`.`o_note`
  ) IS NULL
UNION ALL
SELECT
  `q_5`.`o_order_id` AS `o_order_id`,
  `q_5`.`o_customer_id` AS `o_customer_id`,
  `q_5`.`o_note` AS `o_note`,
  `q_5`.`c_customer_id` AS `c_customer_id`,
  `q_5`.`c_segment` AS `c_segment`,
  `q_5`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `o`.`order_id` AS `o_order_id`,
    `o`.`customer_id` AS `o_customer_id`,
    `o`.`note` AS `o_note`,
    `c`.`customer_id` AS `c_customer_id`,
    `c`.`segment` AS `c_segment`,
    1 AS `__ivm_weight`
  FROM `shop`.`orders` VERSION AS OF 9 AS `o`
  JOIN `shop`.`customers` VERSION AS OF 9 AS `c`
    ON `c`.`customer_id` = `o`.`customer_id`
  UNION ALL
  SELECT
    `ivm_materialized_1`.`o_order_id` AS `o_order_id`,
    `ivm_materialized_1`.`o_customer_id` AS `o_customer_id`,
    `ivm_materialized_1`.`o_note` AS `o_note`,
    `ivm_materialized_1`.`c_customer_id` AS `c_customer_id`,
    `ivm_materialized_1`.`c_segment` AS `c_segment`,
    -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
  FROM ivm_materialized_1 AS `ivm_materialized_1`
) AS `q_5`
LEFT ANTI JOIN (
  SELECT
    `ivm_materialized_2`.`name` AS `name`
  FROM ivm_materialized_2 AS `ivm_materialized_2`
) AS `q_6`
  ON `q_5`.`o_note` = `q_6`.`name`
LEFT SEMI JOIN (
  SELECT
    `ivm_materialized_2`.`name` AS `name`
  FROM ivm_materialized_2 AS `ivm_materialized_2`
  WHERE
    (
      `ivm_materialized_2`.`name`
    ) IS NULL
) AS `q_7`
  ON TRUE
WHERE
  NOT (
    `q_5`.`o_note`
  ) IS NULL;

cache table ivm_materialized_change as
SELECT
  `q_7`.`order_id` AS `order_id`,
  `q_7`.`segment` AS `segment`,
  `q_7`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q_6`.`o_order_id` AS `order_id`,
    `q_6`.`c_segment` AS `segment`,
    COALESCE(SUM(`q_6`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `ivm_materialized_1`.`o_order_id` AS `o_order_id`,
      `ivm_materialized_1`.`o_customer_id` AS `o_customer_id`,
      `ivm_materialized_1`.`o_note` AS `o_note`,
      `ivm_materialized_1`.`c_customer_id` AS `c_customer_id`,
      `ivm_materialized_1`.`c_segment` AS `c_segment`,
      `ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
    FROM ivm_materialized_1 AS `ivm_materialized_1`
    LEFT ANTI JOIN (
      SELECT
        `customers`.`name` AS `name`
      FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
    ) AS `q`
      ON (
        (
          `ivm_materialized_1`.`o_note` = `q`.`name`
        )
        OR (
          `ivm_materialized_1`.`o_note` = `q`.`name`
        ) IS NULL
      )
    UNION ALL
    SELECT
      `ivm_materialized_3`.`o_order_id` AS `o_order_id`,
      `ivm_materialized_3`.`o_customer_id` AS `o_customer_id`,
      `ivm_materialized_3`.`o_note` AS `o_note`,
      `ivm_materialized_3`.`c_customer_id` AS `c_customer_id`,
      `ivm_materialized_3`.`c_segment` AS `c_segment`,
      `ivm_materialized_3`.`__ivm_weight` AS `__ivm_weight`
    FROM ivm_materialized_3 AS `ivm_materialized_3`
    LEFT ANTI JOIN (
      SELECT
        `customers`.`name` AS `name`
      FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
    ) AS `q_2`
      ON (
        (
          `ivm_materialized_3`.`o_note` = `q_2`.`name`
        )
        OR (
          `ivm_materialized_3`.`o_note` = `q_2`.`name`
        ) IS NULL
      )
    UNION ALL
    SELECT
      `ivm_materialized_3`.`o_order_id` AS `o_order_id`,
      `ivm_materialized_3`.`o_customer_id` AS `o_customer_id`,
      `ivm_materialized_3`.`o_note` AS `o_note`,
      `ivm_materialized_3`.`c_customer_id` AS `c_customer_id`,
      `ivm_materialized_3`.`c_segment` AS `c_segment`,
      -`ivm_materialized_3`.`__ivm_weight` AS `__ivm_weight`
    FROM ivm_materialized_3 AS `ivm_materialized_3`
    LEFT ANTI JOIN (
      SELECT
        `q_4`.`name` AS `name`
      FROM (
        SELECT
          `q_3`.`name` AS `name`,
          SUM(`q_3`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `customers`.`name` AS `name`,
            1 AS `__ivm_weight`
          FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
          UNION ALL
          SELECT
            `ivm_materialized_2`.`name` AS `name`,
            -`ivm_materialized_2`.`__ivm_weight` AS `__ivm_weight`
          FROM ivm_materialized_2 AS `ivm_materialized_2`
        ) AS `q_3`
        GROUP BY
          `q_3`.`name`
      ) AS `q_4`
      WHERE
        `q_4`.`__ivm_times` > 0
    ) AS `q_5`
      ON (
        (
          `ivm_materialized_3`.`o_note` = `q_5`.`name`
        )
        OR (
          `ivm_materialized_3`.`o_note` = `q_5`.`name`
        ) IS NULL
      )
  ) AS `q_6`
  GROUP BY
    `q_6`.`o_order_id`,
    `q_6`.`c_segment`
) AS `q_7`
WHERE
  `q_7`.`__ivm_count` <> 0;

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
cache table ivm_materialized_change as
SELECT
  `q_2`.`order_id` AS `order_id`,
  `q_2`.`segment` AS `segment`,
  `q_2`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `o`.`order_id` AS `order_id`,
    `c`.`segment` AS `segment`,
    COALESCE(SUM(`o`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `order_id`,
      `customer_id`,
      `note`,
      IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`orders`', 8, 9)
  ) AS `o`
  JOIN `shop`.`customers` VERSION AS OF 9 AS `c`
    ON `c`.`customer_id` = `o`.`customer_id`
  LEFT ANTI JOIN (
    SELECT
      `customers`.`name` AS `name`
    FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
  ) AS `q`
    ON (
      (
        `o`.`note` = `q`.`name`
      ) OR (
        `o`.`note` = `q`.`name`
      ) IS NULL
    )
  GROUP BY
    `o`.`order_id`,
    `c`.`segment`
) AS `q_2`
WHERE
  `q_2`.`__ivm_count` <> 0;

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
cache table ivm_materialized_change as
SELECT
  `q_2`.`order_id` AS `order_id`,
  `q_2`.`segment` AS `segment`,
  `q_2`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `o`.`order_id` AS `order_id`,
    `c`.`segment` AS `segment`,
    COALESCE(SUM(`o`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `order_id`,
      `customer_id`,
      `note`,
      IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`orders`', 8, 9)
  ) AS `o`
  JOIN `shop`.`customers` VERSION AS OF 9 AS `c`
    ON `c`.`customer_id` = `o`.`customer_id`
  LEFT ANTI JOIN (
    SELECT
      `customers`.`name` AS `name`
    FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
  ) AS `q`
    ON (
      (
        `o`.`note` = `q`.`name`
      ) OR (
        `o`.`note` = `q`.`name`
      ) IS NULL
    )
  GROUP BY
    `o`.`order_id`,
    `c`.`segment`
) AS `q_2`
WHERE
  `q_2`.`__ivm_count` <> 0;

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
