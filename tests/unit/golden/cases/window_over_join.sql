-- view
select c.segment, o.order_id,
  o.amount / sum(o.amount) over (partition by c.segment) as share
from shop.orders o join shop.customers c on o.customer_id = c.customer_id
where o.amount > 0

-- types
share decimal(38,6)

-- state
SELECT
  `c`.`segment` AS `segment`,
  `o`.`order_id` AS `order_id`,
  `o`.`amount` / sum(`o`.`amount`) OVER (
    PARTITION BY `c`.`segment`
    ORDER BY `o`.`order_id`, `o`.`customer_id`, `o`.`amount`, `c`.`customer_id`
    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
  ) AS `share`,
  CAST(1 AS BIGINT) AS `__ivm_count`
FROM `shop`.`orders` VERSION AS OF 9 AS `o`
JOIN `shop`.`customers` VERSION AS OF 9 AS `c`
  ON `o`.`customer_id` = `c`.`customer_id` AND `o`.`amount` > 0

-- visible
SELECT
  `state`.`segment` AS `segment`,
  `state`.`order_id` AS `order_id`,
  `state`.`share` AS `share`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- merge of inserts in customers
cache table ivm_materialized_1 as
SELECT
  `o`.`order_id` AS `o_order_id`,
  `o`.`customer_id` AS `o_customer_id`,
  `o`.`amount` AS `o_amount`,
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
  ON `o`.`customer_id` = `c`.`customer_id` AND `o`.`amount` > 0;

cache table ivm_materialized_change as
SELECT
  `q_6`.`segment` AS `segment`,
  `q_6`.`order_id` AS `order_id`,
  `q_6`.`share` AS `share`,
  `q_6`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q_5`.`segment` AS `segment`,
    `q_5`.`order_id` AS `order_id`,
    `q_5`.`share` AS `share`,
    COALESCE(SUM(`q_5`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `q_4`.`c_segment` AS `segment`,
      `q_4`.`o_order_id` AS `order_id`,
      `q_4`.`o_amount` / sum(`q_4`.`o_amount`) OVER (
        PARTITION BY `q_4`.`c_segment`, `q_4`.`__ivm_side`
        ORDER BY `q_4`.`o_order_id`, `q_4`.`o_customer_id`, `q_4`.`o_amount`, `q_4`.`c_customer_id`
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
      ) AS `share`,
      `q_4`.`__ivm_side` AS `__ivm_weight`
    FROM (
      SELECT
        `q_3`.`o_order_id` AS `o_order_id`,
        `q_3`.`o_customer_id` AS `o_customer_id`,
        `q_3`.`o_amount` AS `o_amount`,
        `q_3`.`c_customer_id` AS `c_customer_id`,
        `q_3`.`c_segment` AS `c_segment`,
        `q_3`.`__ivm_side` AS `__ivm_side`,
        `q_3`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q_2`.`o_order_id` AS `o_order_id`,
          `q_2`.`o_customer_id` AS `o_customer_id`,
          `q_2`.`o_amount` AS `o_amount`,
          `q_2`.`c_customer_id` AS `c_customer_id`,
          `q_2`.`c_segment` AS `c_segment`,
          `q_2`.`__ivm_side` AS `__ivm_side`,
          SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `o`.`order_id` AS `o_order_id`,
            `o`.`customer_id` AS `o_customer_id`,
            `o`.`amount` AS `o_amount`,
            `c`.`customer_id` AS `c_customer_id`,
            `c`.`segment` AS `c_segment`,
            `generated`.`__ivm_side` AS `__ivm_side`,
            1 AS `__ivm_weight`
          FROM `shop`.`orders` VERSION AS OF 9 AS `o`
          JOIN `shop`.`customers` VERSION AS OF 9 AS `c`
            ON `o`.`customer_id` = `c`.`customer_id` AND `o`.`amount` > 0
          LEFT SEMI JOIN (
            SELECT DISTINCT
              `ivm_materialized_1`.`c_segment` AS `__ivm_touched_0`
            FROM ivm_materialized_1 AS `ivm_materialized_1`
          ) AS `q`
            ON `c`.`segment` IS NOT DISTINCT FROM `q`.`__ivm_touched_0`
          LATERAL VIEW
          EXPLODE(array(1, -1)) generated AS `__ivm_side`
          UNION ALL
          SELECT
            `ivm_materialized_1`.`o_order_id` AS `o_order_id`,
            `ivm_materialized_1`.`o_customer_id` AS `o_customer_id`,
            `ivm_materialized_1`.`o_amount` AS `o_amount`,
            `ivm_materialized_1`.`c_customer_id` AS `c_customer_id`,
            `ivm_materialized_1`.`c_segment` AS `c_segment`,
            -1 AS `__ivm_side`,
            -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
          FROM ivm_materialized_1 AS `ivm_materialized_1`
        ) AS `q_2`
        GROUP BY
          `q_2`.`o_order_id`,
          `q_2`.`o_customer_id`,
          `q_2`.`o_amount`,
          `q_2`.`c_customer_id`,
          `q_2`.`c_segment`,
          `q_2`.`__ivm_side`
      ) AS `q_3`
      WHERE
        `q_3`.`__ivm_times` > 0
    ) AS `q_4`
    LATERAL VIEW
    EXPLODE(array_repeat(0, CAST(`q_4`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`
  ) AS `q_5`
  GROUP BY
    `q_5`.`segment`,
    `q_5`.`order_id`,
    `q_5`.`share`
) AS `q_6`
WHERE
  `q_6`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`segment` AS `segment`,
  `q_3`.`order_id` AS `order_id`,
  `q_3`.`share` AS `share`,
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
    `q_2`.`segment` AS `segment`,
    `q_2`.`order_id` AS `order_id`,
    `q_2`.`share` AS `share`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`segment` AS `segment`,
      `ivm_materialized_change`.`order_id` AS `order_id`,
      `ivm_materialized_change`.`share` AS `share`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`segment` AS `segment`,
      `state`.`order_id` AS `order_id`,
      `state`.`share` AS `share`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`segment` AS `__ivm_lost_segment`,
        `ivm_materialized_change`.`order_id` AS `__ivm_lost_order_id`,
        `ivm_materialized_change`.`share` AS `__ivm_lost_share`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`segment` IS NOT DISTINCT FROM `q`.`__ivm_lost_segment`
      AND `state`.`order_id` IS NOT DISTINCT FROM `q`.`__ivm_lost_order_id`
      AND `state`.`share` IS NOT DISTINCT FROM `q`.`__ivm_lost_share`
  ) AS `q_2`
  GROUP BY
    `q_2`.`segment`,
    `q_2`.`order_id`,
    `q_2`.`share`
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
on `s`.`__ivm_gone` AND (`t`.`segment` IS NOT DISTINCT FROM `s`.`segment` AND `t`.`order_id` IS NOT DISTINCT FROM `s`.`order_id` AND `t`.`share` IS NOT DISTINCT FROM `s`.`share`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`segment`, `order_id`, `share`, `__ivm_count`) values (
  `s`.`segment`,
  `s`.`order_id`,
  `s`.`share`,
  `s`.`__ivm_count`
)

-- merge of inserts in orders
cache table ivm_materialized_1 as
SELECT
  `o`.`order_id` AS `o_order_id`,
  `o`.`customer_id` AS `o_customer_id`,
  `o`.`amount` AS `o_amount`,
  `c`.`customer_id` AS `c_customer_id`,
  `c`.`segment` AS `c_segment`,
  `o`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `order_id`,
    `customer_id`,
    `amount`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `o`
JOIN `shop`.`customers` VERSION AS OF 9 AS `c`
  ON `o`.`customer_id` = `c`.`customer_id` AND `o`.`amount` > 0;

cache table ivm_materialized_change as
SELECT
  `q_6`.`segment` AS `segment`,
  `q_6`.`order_id` AS `order_id`,
  `q_6`.`share` AS `share`,
  `q_6`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q_5`.`segment` AS `segment`,
    `q_5`.`order_id` AS `order_id`,
    `q_5`.`share` AS `share`,
    COALESCE(SUM(`q_5`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `q_4`.`c_segment` AS `segment`,
      `q_4`.`o_order_id` AS `order_id`,
      `q_4`.`o_amount` / sum(`q_4`.`o_amount`) OVER (
        PARTITION BY `q_4`.`c_segment`, `q_4`.`__ivm_side`
        ORDER BY `q_4`.`o_order_id`, `q_4`.`o_customer_id`, `q_4`.`o_amount`, `q_4`.`c_customer_id`
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
      ) AS `share`,
      `q_4`.`__ivm_side` AS `__ivm_weight`
    FROM (
      SELECT
        `q_3`.`o_order_id` AS `o_order_id`,
        `q_3`.`o_customer_id` AS `o_customer_id`,
        `q_3`.`o_amount` AS `o_amount`,
        `q_3`.`c_customer_id` AS `c_customer_id`,
        `q_3`.`c_segment` AS `c_segment`,
        `q_3`.`__ivm_side` AS `__ivm_side`,
        `q_3`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q_2`.`o_order_id` AS `o_order_id`,
          `q_2`.`o_customer_id` AS `o_customer_id`,
          `q_2`.`o_amount` AS `o_amount`,
          `q_2`.`c_customer_id` AS `c_customer_id`,
          `q_2`.`c_segment` AS `c_segment`,
          `q_2`.`__ivm_side` AS `__ivm_side`,
          SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `o`.`order_id` AS `o_order_id`,
            `o`.`customer_id` AS `o_customer_id`,
            `o`.`amount` AS `o_amount`,
            `c`.`customer_id` AS `c_customer_id`,
            `c`.`segment` AS `c_segment`,
            `generated`.`__ivm_side` AS `__ivm_side`,
            1 AS `__ivm_weight`
          FROM `shop`.`orders` VERSION AS OF 9 AS `o`
          JOIN `shop`.`customers` VERSION AS OF 9 AS `c`
            ON `o`.`customer_id` = `c`.`customer_id` AND `o`.`amount` > 0
          LEFT SEMI JOIN (
            SELECT DISTINCT
              `ivm_materialized_1`.`c_segment` AS `__ivm_touched_0`
            FROM ivm_materialized_1 AS `ivm_materialized_1`
          ) AS `q`
            ON `c`.`segment` IS NOT DISTINCT FROM `q`.`__ivm_touched_0`
          LATERAL VIEW
          EXPLODE(array(1, -1)) generated AS `__ivm_side`
          UNION ALL
          SELECT
            `ivm_materialized_1`.`o_order_id` AS `o_order_id`,
            `ivm_materialized_1`.`o_customer_id` AS `o_customer_id`,
            `ivm_materialized_1`.`o_amount` AS `o_amount`,
            `ivm_materialized_1`.`c_customer_id` AS `c_customer_id`,
            `ivm_materialized_1`.`c_segment` AS `c_segment`,
            -1 AS `__ivm_side`,
            -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
          FROM ivm_materialized_1 AS `ivm_materialized_1`
        ) AS `q_2`
        GROUP BY
          `q_2`.`o_order_id`,
          `q_2`.`o_customer_id`,
          `q_2`.`o_amount`,
          `q_2`.`c_customer_id`,
          `q_2`.`c_segment`,
          `q_2`.`__ivm_side`
      ) AS `q_3`
      WHERE
        `q_3`.`__ivm_times` > 0
    ) AS `q_4`
    LATERAL VIEW
    EXPLODE(array_repeat(0, CAST(`q_4`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`
  ) AS `q_5`
  GROUP BY
    `q_5`.`segment`,
    `q_5`.`order_id`,
    `q_5`.`share`
) AS `q_6`
WHERE
  `q_6`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`segment` AS `segment`,
  `q_3`.`order_id` AS `order_id`,
  `q_3`.`share` AS `share`,
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
    `q_2`.`segment` AS `segment`,
    `q_2`.`order_id` AS `order_id`,
    `q_2`.`share` AS `share`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`segment` AS `segment`,
      `ivm_materialized_change`.`order_id` AS `order_id`,
      `ivm_materialized_change`.`share` AS `share`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`segment` AS `segment`,
      `state`.`order_id` AS `order_id`,
      `state`.`share` AS `share`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`segment` AS `__ivm_lost_segment`,
        `ivm_materialized_change`.`order_id` AS `__ivm_lost_order_id`,
        `ivm_materialized_change`.`share` AS `__ivm_lost_share`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`segment` IS NOT DISTINCT FROM `q`.`__ivm_lost_segment`
      AND `state`.`order_id` IS NOT DISTINCT FROM `q`.`__ivm_lost_order_id`
      AND `state`.`share` IS NOT DISTINCT FROM `q`.`__ivm_lost_share`
  ) AS `q_2`
  GROUP BY
    `q_2`.`segment`,
    `q_2`.`order_id`,
    `q_2`.`share`
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
on `s`.`__ivm_gone` AND (`t`.`segment` IS NOT DISTINCT FROM `s`.`segment` AND `t`.`order_id` IS NOT DISTINCT FROM `s`.`order_id` AND `t`.`share` IS NOT DISTINCT FROM `s`.`share`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`segment`, `order_id`, `share`, `__ivm_count`) values (
  `s`.`segment`,
  `s`.`order_id`,
  `s`.`share`,
  `s`.`__ivm_count`
)

-- merge of changes in orders
cache table ivm_materialized_1 as
SELECT
  `o`.`order_id` AS `o_order_id`,
  `o`.`customer_id` AS `o_customer_id`,
  `o`.`amount` AS `o_amount`,
  `c`.`customer_id` AS `c_customer_id`,
  `c`.`segment` AS `c_segment`,
  `o`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `order_id`,
    `customer_id`,
    `amount`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `o`
JOIN `shop`.`customers` VERSION AS OF 9 AS `c`
  ON `o`.`customer_id` = `c`.`customer_id` AND `o`.`amount` > 0;

cache table ivm_materialized_change as
SELECT
  `q_6`.`segment` AS `segment`,
  `q_6`.`order_id` AS `order_id`,
  `q_6`.`share` AS `share`,
  `q_6`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q_5`.`segment` AS `segment`,
    `q_5`.`order_id` AS `order_id`,
    `q_5`.`share` AS `share`,
    COALESCE(SUM(`q_5`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `q_4`.`c_segment` AS `segment`,
      `q_4`.`o_order_id` AS `order_id`,
      `q_4`.`o_amount` / sum(`q_4`.`o_amount`) OVER (
        PARTITION BY `q_4`.`c_segment`, `q_4`.`__ivm_side`
        ORDER BY `q_4`.`o_order_id`, `q_4`.`o_customer_id`, `q_4`.`o_amount`, `q_4`.`c_customer_id`
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
      ) AS `share`,
      `q_4`.`__ivm_side` AS `__ivm_weight`
    FROM (
      SELECT
        `q_3`.`o_order_id` AS `o_order_id`,
        `q_3`.`o_customer_id` AS `o_customer_id`,
        `q_3`.`o_amount` AS `o_amount`,
        `q_3`.`c_customer_id` AS `c_customer_id`,
        `q_3`.`c_segment` AS `c_segment`,
        `q_3`.`__ivm_side` AS `__ivm_side`,
        `q_3`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q_2`.`o_order_id` AS `o_order_id`,
          `q_2`.`o_customer_id` AS `o_customer_id`,
          `q_2`.`o_amount` AS `o_amount`,
          `q_2`.`c_customer_id` AS `c_customer_id`,
          `q_2`.`c_segment` AS `c_segment`,
          `q_2`.`__ivm_side` AS `__ivm_side`,
          SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `o`.`order_id` AS `o_order_id`,
            `o`.`customer_id` AS `o_customer_id`,
            `o`.`amount` AS `o_amount`,
            `c`.`customer_id` AS `c_customer_id`,
            `c`.`segment` AS `c_segment`,
            `generated`.`__ivm_side` AS `__ivm_side`,
            1 AS `__ivm_weight`
          FROM `shop`.`orders` VERSION AS OF 9 AS `o`
          JOIN `shop`.`customers` VERSION AS OF 9 AS `c`
            ON `o`.`customer_id` = `c`.`customer_id` AND `o`.`amount` > 0
          LEFT SEMI JOIN (
            SELECT DISTINCT
              `ivm_materialized_1`.`c_segment` AS `__ivm_touched_0`
            FROM ivm_materialized_1 AS `ivm_materialized_1`
          ) AS `q`
            ON `c`.`segment` IS NOT DISTINCT FROM `q`.`__ivm_touched_0`
          LATERAL VIEW
          EXPLODE(array(1, -1)) generated AS `__ivm_side`
          UNION ALL
          SELECT
            `ivm_materialized_1`.`o_order_id` AS `o_order_id`,
            `ivm_materialized_1`.`o_customer_id` AS `o_customer_id`,
            `ivm_materialized_1`.`o_amount` AS `o_amount`,
            `ivm_materialized_1`.`c_customer_id` AS `c_customer_id`,
            `ivm_materialized_1`.`c_segment` AS `c_segment`,
            -1 AS `__ivm_side`,
            -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
          FROM ivm_materialized_1 AS `ivm_materialized_1`
        ) AS `q_2`
        GROUP BY
          `q_2`.`o_order_id`,
          `q_2`.`o_customer_id`,
          `q_2`.`o_amount`,
          `q_2`.`c_customer_id`,
          `q_2`.`c_segment`,
          `q_2`.`__ivm_side`
      ) AS `q_3`
      WHERE
        `q_3`.`__ivm_times` > 0
    ) AS `q_4`
    LATERAL VIEW
    EXPLODE(array_repeat(0, CAST(`q_4`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`
  ) AS `q_5`
  GROUP BY
    `q_5`.`segment`,
    `q_5`.`order_id`,
    `q_5`.`share`
) AS `q_6`
WHERE
  `q_6`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`segment` AS `segment`,
  `q_3`.`order_id` AS `order_id`,
  `q_3`.`share` AS `share`,
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
    `q_2`.`segment` AS `segment`,
    `q_2`.`order_id` AS `order_id`,
    `q_2`.`share` AS `share`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`segment` AS `segment`,
      `ivm_materialized_change`.`order_id` AS `order_id`,
      `ivm_materialized_change`.`share` AS `share`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`segment` AS `segment`,
      `state`.`order_id` AS `order_id`,
      `state`.`share` AS `share`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`segment` AS `__ivm_lost_segment`,
        `ivm_materialized_change`.`order_id` AS `__ivm_lost_order_id`,
        `ivm_materialized_change`.`share` AS `__ivm_lost_share`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`segment` IS NOT DISTINCT FROM `q`.`__ivm_lost_segment`
      AND `state`.`order_id` IS NOT DISTINCT FROM `q`.`__ivm_lost_order_id`
      AND `state`.`share` IS NOT DISTINCT FROM `q`.`__ivm_lost_share`
  ) AS `q_2`
  GROUP BY
    `q_2`.`segment`,
    `q_2`.`order_id`,
    `q_2`.`share`
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
on `s`.`__ivm_gone` AND (`t`.`segment` IS NOT DISTINCT FROM `s`.`segment` AND `t`.`order_id` IS NOT DISTINCT FROM `s`.`order_id` AND `t`.`share` IS NOT DISTINCT FROM `s`.`share`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`segment`, `order_id`, `share`, `__ivm_count`) values (
  `s`.`segment`,
  `s`.`order_id`,
  `s`.`share`,
  `s`.`__ivm_count`
)
