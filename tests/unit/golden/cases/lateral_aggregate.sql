-- view
select c.name, l.orders, l.revenue from shop.customers c, lateral (select count(*) as orders, sum(o.amount) as revenue from shop.orders o where o.customer_id = c.customer_id) l

-- types
- orders bigint
- revenue decimal(22,2)

-- state
SELECT
  `c`.`name` AS `name`,
  COALESCE(`q`.`orders`, 0) AS `orders_3`,
  `q`.`revenue` AS `revenue_3`,
  CAST(1 AS BIGINT) AS `__ivm_count`
FROM `shop`.`customers` VERSION AS OF 9 AS `c`
LEFT JOIN (
  SELECT
    `o`.`customer_id` AS `o_customer_id`,
    count(1) AS `orders`,
    sum(`o`.`amount`) AS `revenue`
  FROM `shop`.`orders` VERSION AS OF 9 AS `o`
  GROUP BY
    `o`.`customer_id`
) AS `q`
  ON `q`.`o_customer_id` = `c`.`customer_id`

-- visible
SELECT
  `state`.`name` AS `name`,
  `state`.`orders_3` AS `orders_3`,
  `state`.`revenue_3` AS `revenue_3`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- merge of inserts in customers
cache table ivm_materialized_change as
SELECT
  `q_2`.`name` AS `name`,
  `q_2`.`orders_3` AS `orders_3`,
  `q_2`.`revenue_3` AS `revenue_3`,
  `q_2`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `c`.`name` AS `name`,
    COALESCE(`q`.`orders`, 0) AS `orders_3`,
    `q`.`revenue` AS `revenue_3`,
    COALESCE(SUM(`c`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `customer_id`,
      `name`,
      IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`customers`', 8, 9)
  ) AS `c`
  LEFT JOIN (
    SELECT
      `o`.`customer_id` AS `o_customer_id`,
      count(1) AS `orders`,
      sum(`o`.`amount`) AS `revenue`
    FROM `shop`.`orders` VERSION AS OF 9 AS `o`
    GROUP BY
      `o`.`customer_id`
  ) AS `q`
    ON `q`.`o_customer_id` = `c`.`customer_id`
  GROUP BY
    `c`.`name`,
    COALESCE(`q`.`orders`, 0),
    `q`.`revenue`
) AS `q_2`
WHERE
  `q_2`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`name` AS `name`,
  `q_3`.`orders_3` AS `orders_3`,
  `q_3`.`revenue_3` AS `revenue_3`,
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
    `q_2`.`orders_3` AS `orders_3`,
    `q_2`.`revenue_3` AS `revenue_3`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`name` AS `name`,
      `ivm_materialized_change`.`orders_3` AS `orders_3`,
      `ivm_materialized_change`.`revenue_3` AS `revenue_3`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`name` AS `name`,
      `state`.`orders_3` AS `orders_3`,
      `state`.`revenue_3` AS `revenue_3`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`name` AS `__ivm_lost_name`,
        `ivm_materialized_change`.`orders_3` AS `__ivm_lost_orders_3`,
        `ivm_materialized_change`.`revenue_3` AS `__ivm_lost_revenue_3`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`name` IS NOT DISTINCT FROM `q`.`__ivm_lost_name`
      AND `state`.`orders_3` IS NOT DISTINCT FROM `q`.`__ivm_lost_orders_3`
      AND `state`.`revenue_3` IS NOT DISTINCT FROM `q`.`__ivm_lost_revenue_3`
  ) AS `q_2`
  GROUP BY
    `q_2`.`name`,
    `q_2`.`orders_3`,
    `q_2`.`revenue_3`
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
on `s`.`__ivm_gone` AND (`t`.`name` IS NOT DISTINCT FROM `s`.`name` AND `t`.`orders_3` IS NOT DISTINCT FROM `s`.`orders_3` AND `t`.`revenue_3` IS NOT DISTINCT FROM `s`.`revenue_3`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`name`, `orders_3`, `revenue_3`, `__ivm_count`) values (
  `s`.`name`,
  `s`.`orders_3`,
  `s`.`revenue_3`,
  `s`.`__ivm_count`
)

-- merge of inserts in orders
cache table ivm_materialized_1 as
SELECT
  `o`.`customer_id` AS `o_customer_id`,
  `o`.`amount` AS `o_amount`,
  `o`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `customer_id`,
    `amount`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `o`;

cache table ivm_materialized_2 as
SELECT
  `q_5`.`o_customer_id` AS `o_customer_id`,
  `q_5`.`orders` AS `orders`,
  `q_5`.`revenue` AS `revenue`,
  `q_5`.`__ivm_side` AS `__ivm_weight`
FROM (
  SELECT
    `q_4`.`o_customer_id` AS `o_customer_id`,
    `q_4`.`__ivm_side` AS `__ivm_side`,
    count(1) AS `orders`,
    sum(`q_4`.`o_amount`) AS `revenue`
  FROM (
    SELECT
      `q_3`.`o_customer_id` AS `o_customer_id`,
      `q_3`.`o_amount` AS `o_amount`,
      `q_3`.`__ivm_side` AS `__ivm_side`,
      `q_3`.`__ivm_times` AS `__ivm_times`
    FROM (
      SELECT
        `q_2`.`o_customer_id` AS `o_customer_id`,
        `q_2`.`o_amount` AS `o_amount`,
        `q_2`.`__ivm_side` AS `__ivm_side`,
        SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
      FROM (
        SELECT
          `o`.`customer_id` AS `o_customer_id`,
          `o`.`amount` AS `o_amount`,
          `generated`.`__ivm_side` AS `__ivm_side`,
          1 AS `__ivm_weight`
        FROM `shop`.`orders` VERSION AS OF 9 AS `o`
        LEFT SEMI JOIN (
          SELECT DISTINCT
            `ivm_materialized_1`.`o_customer_id` AS `__ivm_touched_0`
          FROM ivm_materialized_1 AS `ivm_materialized_1`
        ) AS `q`
          ON `o`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_touched_0`
        LATERAL VIEW
        EXPLODE(array(1, -1)) generated AS `__ivm_side`
        UNION ALL
        SELECT
          `ivm_materialized_1`.`o_customer_id` AS `o_customer_id`,
          `ivm_materialized_1`.`o_amount` AS `o_amount`,
          -1 AS `__ivm_side`,
          -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
        FROM ivm_materialized_1 AS `ivm_materialized_1`
      ) AS `q_2`
      GROUP BY
        `q_2`.`o_customer_id`,
        `q_2`.`o_amount`,
        `q_2`.`__ivm_side`
    ) AS `q_3`
    WHERE
      `q_3`.`__ivm_times` > 0
  ) AS `q_4`
  LATERAL VIEW
  EXPLODE(array_repeat(0, CAST(`q_4`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`
  GROUP BY
    `q_4`.`o_customer_id`,
    `q_4`.`__ivm_side`
) AS `q_5`;

cache table ivm_materialized_change as
SELECT
  `q_9`.`name` AS `name`,
  `q_9`.`orders_3` AS `orders_3`,
  `q_9`.`revenue_3` AS `revenue_3`,
  `q_9`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q_7`.`c_name` AS `name`,
    COALESCE(`q_8`.`orders`, 0) AS `orders_3`,
    `q_8`.`revenue` AS `revenue_3`,
    COALESCE(SUM(`q_7`.`__ivm_weight` * `q_7`.`__ivm_kept_side`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `c`.`customer_id` AS `c_customer_id`,
      `c`.`name` AS `c_name`,
      `generated`.`__ivm_kept_side` AS `__ivm_kept_side`,
      1 AS `__ivm_weight`
    FROM `shop`.`customers` VERSION AS OF 9 AS `c`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_2`.`o_customer_id` AS `o_customer_id`,
        `ivm_materialized_2`.`orders` AS `orders`,
        `ivm_materialized_2`.`revenue` AS `revenue`
      FROM ivm_materialized_2 AS `ivm_materialized_2`
    ) AS `q`
      ON `q`.`o_customer_id` = `c`.`customer_id`
    LATERAL VIEW
    EXPLODE(array(1, -1)) generated AS `__ivm_kept_side`
  ) AS `q_7`
  LEFT JOIN (
    SELECT
      `q_6`.`o_customer_id` AS `o_customer_id`,
      `q_6`.`orders` AS `orders`,
      `q_6`.`revenue` AS `revenue`,
      `q_6`.`__ivm_side` AS `__ivm_side`
    FROM (
      SELECT
        `q_5`.`o_customer_id` AS `o_customer_id`,
        `q_5`.`orders` AS `orders`,
        `q_5`.`revenue` AS `revenue`,
        `q_5`.`__ivm_side` AS `__ivm_side`,
        `q_5`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q_4`.`o_customer_id` AS `o_customer_id`,
          `q_4`.`orders` AS `orders`,
          `q_4`.`revenue` AS `revenue`,
          `q_4`.`__ivm_side` AS `__ivm_side`,
          SUM(`q_4`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `q_2`.`o_customer_id` AS `o_customer_id`,
            `q_2`.`orders` AS `orders`,
            `q_2`.`revenue` AS `revenue`,
            `generated_2`.`__ivm_side` AS `__ivm_side`,
            1 AS `__ivm_weight`
          FROM (
            SELECT
              `o`.`customer_id` AS `o_customer_id`,
              count(1) AS `orders`,
              sum(`o`.`amount`) AS `revenue`
            FROM `shop`.`orders` VERSION AS OF 9 AS `o`
            GROUP BY
              `o`.`customer_id`
          ) AS `q_2`
          LEFT SEMI JOIN (
            SELECT DISTINCT
              `ivm_materialized_2`.`o_customer_id` AS `__ivm_touched_0`
            FROM ivm_materialized_2 AS `ivm_materialized_2`
          ) AS `q_3`
            ON `q_2`.`o_customer_id` IS NOT DISTINCT FROM `q_3`.`__ivm_touched_0`
          LATERAL VIEW
          EXPLODE(array(1, -1)) generated_2 AS `__ivm_side`
          UNION ALL
          SELECT
            `ivm_materialized_2`.`o_customer_id` AS `o_customer_id`,
            `ivm_materialized_2`.`orders` AS `orders`,
            `ivm_materialized_2`.`revenue` AS `revenue`,
            -1 AS `__ivm_side`,
            -`ivm_materialized_2`.`__ivm_weight` AS `__ivm_weight`
          FROM ivm_materialized_2 AS `ivm_materialized_2`
        ) AS `q_4`
        GROUP BY
          `q_4`.`o_customer_id`,
          `q_4`.`orders`,
          `q_4`.`revenue`,
          `q_4`.`__ivm_side`
      ) AS `q_5`
      WHERE
        `q_5`.`__ivm_times` > 0
    ) AS `q_6`
    LATERAL VIEW
    EXPLODE(array_repeat(0, CAST(`q_6`.`__ivm_times` AS INT))) generated_3 AS `__ivm_copy`
  ) AS `q_8`
    ON `q_8`.`o_customer_id` = `q_7`.`c_customer_id`
    AND `q_7`.`__ivm_kept_side` = `q_8`.`__ivm_side`
  GROUP BY
    `q_7`.`c_name`,
    COALESCE(`q_8`.`orders`, 0),
    `q_8`.`revenue`
) AS `q_9`
WHERE
  `q_9`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`name` AS `name`,
  `q_3`.`orders_3` AS `orders_3`,
  `q_3`.`revenue_3` AS `revenue_3`,
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
    `q_2`.`orders_3` AS `orders_3`,
    `q_2`.`revenue_3` AS `revenue_3`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`name` AS `name`,
      `ivm_materialized_change`.`orders_3` AS `orders_3`,
      `ivm_materialized_change`.`revenue_3` AS `revenue_3`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`name` AS `name`,
      `state`.`orders_3` AS `orders_3`,
      `state`.`revenue_3` AS `revenue_3`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`name` AS `__ivm_lost_name`,
        `ivm_materialized_change`.`orders_3` AS `__ivm_lost_orders_3`,
        `ivm_materialized_change`.`revenue_3` AS `__ivm_lost_revenue_3`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`name` IS NOT DISTINCT FROM `q`.`__ivm_lost_name`
      AND `state`.`orders_3` IS NOT DISTINCT FROM `q`.`__ivm_lost_orders_3`
      AND `state`.`revenue_3` IS NOT DISTINCT FROM `q`.`__ivm_lost_revenue_3`
  ) AS `q_2`
  GROUP BY
    `q_2`.`name`,
    `q_2`.`orders_3`,
    `q_2`.`revenue_3`
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
on `s`.`__ivm_gone` AND (`t`.`name` IS NOT DISTINCT FROM `s`.`name` AND `t`.`orders_3` IS NOT DISTINCT FROM `s`.`orders_3` AND `t`.`revenue_3` IS NOT DISTINCT FROM `s`.`revenue_3`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`name`, `orders_3`, `revenue_3`, `__ivm_count`) values (
  `s`.`name`,
  `s`.`orders_3`,
  `s`.`revenue_3`,
  `s`.`__ivm_count`
)

-- merge of changes in orders
cache table ivm_materialized_1 as
SELECT
  `o`.`customer_id` AS `o_customer_id`,
  `o`.`amount` AS `o_amount`,
  `o`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `customer_id`,
    `amount`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `o`;

cache table ivm_materialized_2 as
SELECT
  `q_5`.`o_customer_id` AS `o_customer_id`,
  `q_5`.`orders` AS `orders`,
  `q_5`.`revenue` AS `revenue`,
  `q_5`.`__ivm_side` AS `__ivm_weight`
FROM (
  SELECT
    `q_4`.`o_customer_id` AS `o_customer_id`,
    `q_4`.`__ivm_side` AS `__ivm_side`,
    count(1) AS `orders`,
    sum(`q_4`.`o_amount`) AS `revenue`
  FROM (
    SELECT
      `q_3`.`o_customer_id` AS `o_customer_id`,
      `q_3`.`o_amount` AS `o_amount`,
      `q_3`.`__ivm_side` AS `__ivm_side`,
      `q_3`.`__ivm_times` AS `__ivm_times`
    FROM (
      SELECT
        `q_2`.`o_customer_id` AS `o_customer_id`,
        `q_2`.`o_amount` AS `o_amount`,
        `q_2`.`__ivm_side` AS `__ivm_side`,
        SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
      FROM (
        SELECT
          `o`.`customer_id` AS `o_customer_id`,
          `o`.`amount` AS `o_amount`,
          `generated`.`__ivm_side` AS `__ivm_side`,
          1 AS `__ivm_weight`
        FROM `shop`.`orders` VERSION AS OF 9 AS `o`
        LEFT SEMI JOIN (
          SELECT DISTINCT
            `ivm_materialized_1`.`o_customer_id` AS `__ivm_touched_0`
          FROM ivm_materialized_1 AS `ivm_materialized_1`
        ) AS `q`
          ON `o`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_touched_0`
        LATERAL VIEW
        EXPLODE(array(1, -1)) generated AS `__ivm_side`
        UNION ALL
        SELECT
          `ivm_materialized_1`.`o_customer_id` AS `o_customer_id`,
          `ivm_materialized_1`.`o_amount` AS `o_amount`,
          -1 AS `__ivm_side`,
          -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
        FROM ivm_materialized_1 AS `ivm_materialized_1`
      ) AS `q_2`
      GROUP BY
        `q_2`.`o_customer_id`,
        `q_2`.`o_amount`,
        `q_2`.`__ivm_side`
    ) AS `q_3`
    WHERE
      `q_3`.`__ivm_times` > 0
  ) AS `q_4`
  LATERAL VIEW
  EXPLODE(array_repeat(0, CAST(`q_4`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`
  GROUP BY
    `q_4`.`o_customer_id`,
    `q_4`.`__ivm_side`
) AS `q_5`;

cache table ivm_materialized_change as
SELECT
  `q_9`.`name` AS `name`,
  `q_9`.`orders_3` AS `orders_3`,
  `q_9`.`revenue_3` AS `revenue_3`,
  `q_9`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q_7`.`c_name` AS `name`,
    COALESCE(`q_8`.`orders`, 0) AS `orders_3`,
    `q_8`.`revenue` AS `revenue_3`,
    COALESCE(SUM(`q_7`.`__ivm_weight` * `q_7`.`__ivm_kept_side`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `c`.`customer_id` AS `c_customer_id`,
      `c`.`name` AS `c_name`,
      `generated`.`__ivm_kept_side` AS `__ivm_kept_side`,
      1 AS `__ivm_weight`
    FROM `shop`.`customers` VERSION AS OF 9 AS `c`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_2`.`o_customer_id` AS `o_customer_id`,
        `ivm_materialized_2`.`orders` AS `orders`,
        `ivm_materialized_2`.`revenue` AS `revenue`
      FROM ivm_materialized_2 AS `ivm_materialized_2`
    ) AS `q`
      ON `q`.`o_customer_id` = `c`.`customer_id`
    LATERAL VIEW
    EXPLODE(array(1, -1)) generated AS `__ivm_kept_side`
  ) AS `q_7`
  LEFT JOIN (
    SELECT
      `q_6`.`o_customer_id` AS `o_customer_id`,
      `q_6`.`orders` AS `orders`,
      `q_6`.`revenue` AS `revenue`,
      `q_6`.`__ivm_side` AS `__ivm_side`
    FROM (
      SELECT
        `q_5`.`o_customer_id` AS `o_customer_id`,
        `q_5`.`orders` AS `orders`,
        `q_5`.`revenue` AS `revenue`,
        `q_5`.`__ivm_side` AS `__ivm_side`,
        `q_5`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q_4`.`o_customer_id` AS `o_customer_id`,
          `q_4`.`orders` AS `orders`,
          `q_4`.`revenue` AS `revenue`,
          `q_4`.`__ivm_side` AS `__ivm_side`,
          SUM(`q_4`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `q_2`.`o_customer_id` AS `o_customer_id`,
            `q_2`.`orders` AS `orders`,
            `q_2`.`revenue` AS `revenue`,
            `generated_2`.`__ivm_side` AS `__ivm_side`,
            1 AS `__ivm_weight`
          FROM (
            SELECT
              `o`.`customer_id` AS `o_customer_id`,
              count(1) AS `orders`,
              sum(`o`.`amount`) AS `revenue`
            FROM `shop`.`orders` VERSION AS OF 9 AS `o`
            GROUP BY
              `o`.`customer_id`
          ) AS `q_2`
          LEFT SEMI JOIN (
            SELECT DISTINCT
              `ivm_materialized_2`.`o_customer_id` AS `__ivm_touched_0`
            FROM ivm_materialized_2 AS `ivm_materialized_2`
          ) AS `q_3`
            ON `q_2`.`o_customer_id` IS NOT DISTINCT FROM `q_3`.`__ivm_touched_0`
          LATERAL VIEW
          EXPLODE(array(1, -1)) generated_2 AS `__ivm_side`
          UNION ALL
          SELECT
            `ivm_materialized_2`.`o_customer_id` AS `o_customer_id`,
            `ivm_materialized_2`.`orders` AS `orders`,
            `ivm_materialized_2`.`revenue` AS `revenue`,
            -1 AS `__ivm_side`,
            -`ivm_materialized_2`.`__ivm_weight` AS `__ivm_weight`
          FROM ivm_materialized_2 AS `ivm_materialized_2`
        ) AS `q_4`
        GROUP BY
          `q_4`.`o_customer_id`,
          `q_4`.`orders`,
          `q_4`.`revenue`,
          `q_4`.`__ivm_side`
      ) AS `q_5`
      WHERE
        `q_5`.`__ivm_times` > 0
    ) AS `q_6`
    LATERAL VIEW
    EXPLODE(array_repeat(0, CAST(`q_6`.`__ivm_times` AS INT))) generated_3 AS `__ivm_copy`
  ) AS `q_8`
    ON `q_8`.`o_customer_id` = `q_7`.`c_customer_id`
    AND `q_7`.`__ivm_kept_side` = `q_8`.`__ivm_side`
  GROUP BY
    `q_7`.`c_name`,
    COALESCE(`q_8`.`orders`, 0),
    `q_8`.`revenue`
) AS `q_9`
WHERE
  `q_9`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`name` AS `name`,
  `q_3`.`orders_3` AS `orders_3`,
  `q_3`.`revenue_3` AS `revenue_3`,
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
    `q_2`.`orders_3` AS `orders_3`,
    `q_2`.`revenue_3` AS `revenue_3`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`name` AS `name`,
      `ivm_materialized_change`.`orders_3` AS `orders_3`,
      `ivm_materialized_change`.`revenue_3` AS `revenue_3`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`name` AS `name`,
      `state`.`orders_3` AS `orders_3`,
      `state`.`revenue_3` AS `revenue_3`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`name` AS `__ivm_lost_name`,
        `ivm_materialized_change`.`orders_3` AS `__ivm_lost_orders_3`,
        `ivm_materialized_change`.`revenue_3` AS `__ivm_lost_revenue_3`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`name` IS NOT DISTINCT FROM `q`.`__ivm_lost_name`
      AND `state`.`orders_3` IS NOT DISTINCT FROM `q`.`__ivm_lost_orders_3`
      AND `state`.`revenue_3` IS NOT DISTINCT FROM `q`.`__ivm_lost_revenue_3`
  ) AS `q_2`
  GROUP BY
    `q_2`.`name`,
    `q_2`.`orders_3`,
    `q_2`.`revenue_3`
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
on `s`.`__ivm_gone` AND (`t`.`name` IS NOT DISTINCT FROM `s`.`name` AND `t`.`orders_3` IS NOT DISTINCT FROM `s`.`orders_3` AND `t`.`revenue_3` IS NOT DISTINCT FROM `s`.`revenue_3`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`name`, `orders_3`, `revenue_3`, `__ivm_count`) values (
  `s`.`name`,
  `s`.`orders_3`,
  `s`.`revenue_3`,
  `s`.`__ivm_count`
)
