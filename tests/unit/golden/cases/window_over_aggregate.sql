-- view
select customer_id, ordered_on, sum(amount) as total,
  rank() over (partition by customer_id order by sum(amount) desc) as place,
  sum(sum(amount)) over (partition by customer_id order by ordered_on) as so_far
from shop.orders group by customer_id, ordered_on

-- types
ordered_on date
total decimal(22,2)
place int
so_far decimal(32,2)

-- state
SELECT
  `q`.`customer_id` AS `customer_id_2`,
  `q`.`ordered_on` AS `ordered_on_2`,
  `q`.`total` AS `total_2`,
  rank() OVER (PARTITION BY `q`.`customer_id` ORDER BY `q`.`total` DESC) AS `place_2`,
  sum(`q`.`total`) OVER (PARTITION BY `q`.`customer_id` ORDER BY `q`.`ordered_on`) AS `so_far_2`,
  CAST(1 AS BIGINT) AS `__ivm_count`
FROM (
  SELECT
    `orders`.`customer_id` AS `customer_id`,
    `orders`.`ordered_on` AS `ordered_on`,
    sum(`orders`.`amount`) AS `total`
  FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
  GROUP BY
    `orders`.`customer_id`,
    `orders`.`ordered_on`
) AS `q`

-- visible
SELECT
  `state`.`customer_id_2` AS `customer_id_2`,
  `state`.`ordered_on_2` AS `ordered_on_2`,
  `state`.`total_2` AS `total_2`,
  `state`.`place_2` AS `place_2`,
  `state`.`so_far_2` AS `so_far_2`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- merge of inserts in orders
cache table ivm_materialized_1 as
SELECT
  `orders`.`customer_id` AS `orders_customer_id`,
  `orders`.`ordered_on` AS `orders_ordered_on`,
  `orders`.`amount` AS `orders_amount`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `customer_id`,
    `ordered_on`,
    `amount`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `orders`;

cache table ivm_materialized_change as
SELECT
  `q_7`.`customer_id_2` AS `customer_id_2`,
  `q_7`.`ordered_on_2` AS `ordered_on_2`,
  `q_7`.`total_2` AS `total_2`,
  `q_7`.`place_2` AS `place_2`,
  `q_7`.`so_far_2` AS `so_far_2`,
  `q_7`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q_6`.`customer_id_2` AS `customer_id_2`,
    `q_6`.`ordered_on_2` AS `ordered_on_2`,
    `q_6`.`total_2` AS `total_2`,
    `q_6`.`place_2` AS `place_2`,
    `q_6`.`so_far_2` AS `so_far_2`,
    COALESCE(SUM(`q_6`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `q_5`.`customer_id` AS `customer_id_2`,
      `q_5`.`ordered_on` AS `ordered_on_2`,
      `q_5`.`total` AS `total_2`,
      rank() OVER (PARTITION BY `q_5`.`customer_id`, `q_5`.`__ivm_side` ORDER BY `q_5`.`total` DESC) AS `place_2`,
      sum(`q_5`.`total`) OVER (PARTITION BY `q_5`.`customer_id`, `q_5`.`__ivm_side` ORDER BY `q_5`.`ordered_on`) AS `so_far_2`,
      `q_5`.`__ivm_side` AS `__ivm_weight`
    FROM (
      SELECT
        `q_4`.`orders_customer_id` AS `customer_id`,
        `q_4`.`orders_ordered_on` AS `ordered_on`,
        `q_4`.`__ivm_side` AS `__ivm_side`,
        sum(`q_4`.`orders_amount`) AS `total`
      FROM (
        SELECT
          `q_3`.`orders_customer_id` AS `orders_customer_id`,
          `q_3`.`orders_ordered_on` AS `orders_ordered_on`,
          `q_3`.`orders_amount` AS `orders_amount`,
          `q_3`.`__ivm_side` AS `__ivm_side`,
          `q_3`.`__ivm_times` AS `__ivm_times`
        FROM (
          SELECT
            `q_2`.`orders_customer_id` AS `orders_customer_id`,
            `q_2`.`orders_ordered_on` AS `orders_ordered_on`,
            `q_2`.`orders_amount` AS `orders_amount`,
            `q_2`.`__ivm_side` AS `__ivm_side`,
            SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
          FROM (
            SELECT
              `orders`.`customer_id` AS `orders_customer_id`,
              `orders`.`ordered_on` AS `orders_ordered_on`,
              `orders`.`amount` AS `orders_amount`,
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
              `ivm_materialized_1`.`orders_ordered_on` AS `orders_ordered_on`,
              `ivm_materialized_1`.`orders_amount` AS `orders_amount`,
              -1 AS `__ivm_side`,
              -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
            FROM ivm_materialized_1 AS `ivm_materialized_1`
          ) AS `q_2`
          GROUP BY
            `q_2`.`orders_customer_id`,
            `q_2`.`orders_ordered_on`,
            `q_2`.`orders_amount`,
            `q_2`.`__ivm_side`
        ) AS `q_3`
        WHERE
          `q_3`.`__ivm_times` > 0
      ) AS `q_4`
      LATERAL VIEW
      EXPLODE(array_repeat(0, CAST(`q_4`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`
      GROUP BY
        `q_4`.`orders_customer_id`,
        `q_4`.`orders_ordered_on`,
        `q_4`.`__ivm_side`
    ) AS `q_5`
  ) AS `q_6`
  GROUP BY
    `q_6`.`customer_id_2`,
    `q_6`.`ordered_on_2`,
    `q_6`.`total_2`,
    `q_6`.`place_2`,
    `q_6`.`so_far_2`
) AS `q_7`
WHERE
  `q_7`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`customer_id_2` AS `customer_id_2`,
  `q_3`.`ordered_on_2` AS `ordered_on_2`,
  `q_3`.`total_2` AS `total_2`,
  `q_3`.`place_2` AS `place_2`,
  `q_3`.`so_far_2` AS `so_far_2`,
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
    `q_2`.`ordered_on_2` AS `ordered_on_2`,
    `q_2`.`total_2` AS `total_2`,
    `q_2`.`place_2` AS `place_2`,
    `q_2`.`so_far_2` AS `so_far_2`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`customer_id_2` AS `customer_id_2`,
      `ivm_materialized_change`.`ordered_on_2` AS `ordered_on_2`,
      `ivm_materialized_change`.`total_2` AS `total_2`,
      `ivm_materialized_change`.`place_2` AS `place_2`,
      `ivm_materialized_change`.`so_far_2` AS `so_far_2`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`customer_id_2` AS `customer_id_2`,
      `state`.`ordered_on_2` AS `ordered_on_2`,
      `state`.`total_2` AS `total_2`,
      `state`.`place_2` AS `place_2`,
      `state`.`so_far_2` AS `so_far_2`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`customer_id_2` AS `__ivm_lost_customer_id_2`,
        `ivm_materialized_change`.`ordered_on_2` AS `__ivm_lost_ordered_on_2`,
        `ivm_materialized_change`.`total_2` AS `__ivm_lost_total_2`,
        `ivm_materialized_change`.`place_2` AS `__ivm_lost_place_2`,
        `ivm_materialized_change`.`so_far_2` AS `__ivm_lost_so_far_2`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`customer_id_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_customer_id_2`
      AND `state`.`ordered_on_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_ordered_on_2`
      AND `state`.`total_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_total_2`
      AND `state`.`place_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_place_2`
      AND `state`.`so_far_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_so_far_2`
  ) AS `q_2`
  GROUP BY
    `q_2`.`customer_id_2`,
    `q_2`.`ordered_on_2`,
    `q_2`.`total_2`,
    `q_2`.`place_2`,
    `q_2`.`so_far_2`
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
on `s`.`__ivm_gone` AND (`t`.`customer_id_2` IS NOT DISTINCT FROM `s`.`customer_id_2` AND `t`.`ordered_on_2` IS NOT DISTINCT FROM `s`.`ordered_on_2` AND `t`.`total_2` IS NOT DISTINCT FROM `s`.`total_2` AND `t`.`place_2` IS NOT DISTINCT FROM `s`.`place_2` AND `t`.`so_far_2` IS NOT DISTINCT FROM `s`.`so_far_2`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`customer_id_2`, `ordered_on_2`, `total_2`, `place_2`, `so_far_2`, `__ivm_count`) values (
  `s`.`customer_id_2`,
  `s`.`ordered_on_2`,
  `s`.`total_2`,
  `s`.`place_2`,
  `s`.`so_far_2`,
  `s`.`__ivm_count`
)

-- merge of changes in orders
cache table ivm_materialized_1 as
SELECT
  `orders`.`customer_id` AS `orders_customer_id`,
  `orders`.`ordered_on` AS `orders_ordered_on`,
  `orders`.`amount` AS `orders_amount`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `customer_id`,
    `ordered_on`,
    `amount`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `orders`;

cache table ivm_materialized_change as
SELECT
  `q_7`.`customer_id_2` AS `customer_id_2`,
  `q_7`.`ordered_on_2` AS `ordered_on_2`,
  `q_7`.`total_2` AS `total_2`,
  `q_7`.`place_2` AS `place_2`,
  `q_7`.`so_far_2` AS `so_far_2`,
  `q_7`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q_6`.`customer_id_2` AS `customer_id_2`,
    `q_6`.`ordered_on_2` AS `ordered_on_2`,
    `q_6`.`total_2` AS `total_2`,
    `q_6`.`place_2` AS `place_2`,
    `q_6`.`so_far_2` AS `so_far_2`,
    COALESCE(SUM(`q_6`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `q_5`.`customer_id` AS `customer_id_2`,
      `q_5`.`ordered_on` AS `ordered_on_2`,
      `q_5`.`total` AS `total_2`,
      rank() OVER (PARTITION BY `q_5`.`customer_id`, `q_5`.`__ivm_side` ORDER BY `q_5`.`total` DESC) AS `place_2`,
      sum(`q_5`.`total`) OVER (PARTITION BY `q_5`.`customer_id`, `q_5`.`__ivm_side` ORDER BY `q_5`.`ordered_on`) AS `so_far_2`,
      `q_5`.`__ivm_side` AS `__ivm_weight`
    FROM (
      SELECT
        `q_4`.`orders_customer_id` AS `customer_id`,
        `q_4`.`orders_ordered_on` AS `ordered_on`,
        `q_4`.`__ivm_side` AS `__ivm_side`,
        sum(`q_4`.`orders_amount`) AS `total`
      FROM (
        SELECT
          `q_3`.`orders_customer_id` AS `orders_customer_id`,
          `q_3`.`orders_ordered_on` AS `orders_ordered_on`,
          `q_3`.`orders_amount` AS `orders_amount`,
          `q_3`.`__ivm_side` AS `__ivm_side`,
          `q_3`.`__ivm_times` AS `__ivm_times`
        FROM (
          SELECT
            `q_2`.`orders_customer_id` AS `orders_customer_id`,
            `q_2`.`orders_ordered_on` AS `orders_ordered_on`,
            `q_2`.`orders_amount` AS `orders_amount`,
            `q_2`.`__ivm_side` AS `__ivm_side`,
            SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
          FROM (
            SELECT
              `orders`.`customer_id` AS `orders_customer_id`,
              `orders`.`ordered_on` AS `orders_ordered_on`,
              `orders`.`amount` AS `orders_amount`,
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
              `ivm_materialized_1`.`orders_ordered_on` AS `orders_ordered_on`,
              `ivm_materialized_1`.`orders_amount` AS `orders_amount`,
              -1 AS `__ivm_side`,
              -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
            FROM ivm_materialized_1 AS `ivm_materialized_1`
          ) AS `q_2`
          GROUP BY
            `q_2`.`orders_customer_id`,
            `q_2`.`orders_ordered_on`,
            `q_2`.`orders_amount`,
            `q_2`.`__ivm_side`
        ) AS `q_3`
        WHERE
          `q_3`.`__ivm_times` > 0
      ) AS `q_4`
      LATERAL VIEW
      EXPLODE(array_repeat(0, CAST(`q_4`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`
      GROUP BY
        `q_4`.`orders_customer_id`,
        `q_4`.`orders_ordered_on`,
        `q_4`.`__ivm_side`
    ) AS `q_5`
  ) AS `q_6`
  GROUP BY
    `q_6`.`customer_id_2`,
    `q_6`.`ordered_on_2`,
    `q_6`.`total_2`,
    `q_6`.`place_2`,
    `q_6`.`so_far_2`
) AS `q_7`
WHERE
  `q_7`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`customer_id_2` AS `customer_id_2`,
  `q_3`.`ordered_on_2` AS `ordered_on_2`,
  `q_3`.`total_2` AS `total_2`,
  `q_3`.`place_2` AS `place_2`,
  `q_3`.`so_far_2` AS `so_far_2`,
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
    `q_2`.`ordered_on_2` AS `ordered_on_2`,
    `q_2`.`total_2` AS `total_2`,
    `q_2`.`place_2` AS `place_2`,
    `q_2`.`so_far_2` AS `so_far_2`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`customer_id_2` AS `customer_id_2`,
      `ivm_materialized_change`.`ordered_on_2` AS `ordered_on_2`,
      `ivm_materialized_change`.`total_2` AS `total_2`,
      `ivm_materialized_change`.`place_2` AS `place_2`,
      `ivm_materialized_change`.`so_far_2` AS `so_far_2`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`customer_id_2` AS `customer_id_2`,
      `state`.`ordered_on_2` AS `ordered_on_2`,
      `state`.`total_2` AS `total_2`,
      `state`.`place_2` AS `place_2`,
      `state`.`so_far_2` AS `so_far_2`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`customer_id_2` AS `__ivm_lost_customer_id_2`,
        `ivm_materialized_change`.`ordered_on_2` AS `__ivm_lost_ordered_on_2`,
        `ivm_materialized_change`.`total_2` AS `__ivm_lost_total_2`,
        `ivm_materialized_change`.`place_2` AS `__ivm_lost_place_2`,
        `ivm_materialized_change`.`so_far_2` AS `__ivm_lost_so_far_2`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`customer_id_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_customer_id_2`
      AND `state`.`ordered_on_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_ordered_on_2`
      AND `state`.`total_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_total_2`
      AND `state`.`place_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_place_2`
      AND `state`.`so_far_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_so_far_2`
  ) AS `q_2`
  GROUP BY
    `q_2`.`customer_id_2`,
    `q_2`.`ordered_on_2`,
    `q_2`.`total_2`,
    `q_2`.`place_2`,
    `q_2`.`so_far_2`
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
on `s`.`__ivm_gone` AND (`t`.`customer_id_2` IS NOT DISTINCT FROM `s`.`customer_id_2` AND `t`.`ordered_on_2` IS NOT DISTINCT FROM `s`.`ordered_on_2` AND `t`.`total_2` IS NOT DISTINCT FROM `s`.`total_2` AND `t`.`place_2` IS NOT DISTINCT FROM `s`.`place_2` AND `t`.`so_far_2` IS NOT DISTINCT FROM `s`.`so_far_2`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`customer_id_2`, `ordered_on_2`, `total_2`, `place_2`, `so_far_2`, `__ivm_count`) values (
  `s`.`customer_id_2`,
  `s`.`ordered_on_2`,
  `s`.`total_2`,
  `s`.`place_2`,
  `s`.`so_far_2`,
  `s`.`__ivm_count`
)
