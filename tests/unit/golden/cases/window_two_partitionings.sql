-- view
select order_id, amount, max(amount) over (partition by customer_id) as best,
  dense_rank() over (partition by ordered_on order by amount desc nulls last) as place
from shop.orders

-- types
best decimal(12,2)
place int

-- state
SELECT
  `orders`.`order_id` AS `order_id`,
  `orders`.`amount` AS `amount`,
  max(`orders`.`amount`) OVER (PARTITION BY `orders`.`customer_id`) AS `best_2`,
  dense_rank() OVER (PARTITION BY `orders`.`ordered_on` ORDER BY `orders`.`amount` DESC) AS `place_2`,
  CAST(1 AS BIGINT) AS `__ivm_count`
FROM `shop`.`orders` VERSION AS OF 9 AS `orders`

-- visible
SELECT
  `state`.`order_id` AS `order_id`,
  `state`.`amount` AS `amount`,
  `state`.`best_2` AS `best_2`,
  `state`.`place_2` AS `place_2`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- merge of inserts in orders
cache table ivm_materialized_1 as
SELECT
  `orders`.`order_id` AS `orders_order_id`,
  `orders`.`customer_id` AS `orders_customer_id`,
  `orders`.`ordered_on` AS `orders_ordered_on`,
  `orders`.`amount` AS `orders_amount`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `order_id`,
    `customer_id`,
    `ordered_on`,
    `amount`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `orders`;

cache table ivm_materialized_2 as
SELECT
  `q_4`.`orders_order_id` AS `orders_order_id`,
  `q_4`.`orders_customer_id` AS `orders_customer_id`,
  `q_4`.`orders_ordered_on` AS `orders_ordered_on`,
  `q_4`.`orders_amount` AS `orders_amount`,
  max(`q_4`.`orders_amount`) OVER (PARTITION BY `q_4`.`orders_customer_id`, `q_4`.`__ivm_side`) AS `best`,
  `q_4`.`__ivm_side` AS `__ivm_weight`
FROM (
  SELECT
    `q_3`.`orders_order_id` AS `orders_order_id`,
    `q_3`.`orders_customer_id` AS `orders_customer_id`,
    `q_3`.`orders_ordered_on` AS `orders_ordered_on`,
    `q_3`.`orders_amount` AS `orders_amount`,
    `q_3`.`__ivm_side` AS `__ivm_side`,
    `q_3`.`__ivm_times` AS `__ivm_times`
  FROM (
    SELECT
      `q_2`.`orders_order_id` AS `orders_order_id`,
      `q_2`.`orders_customer_id` AS `orders_customer_id`,
      `q_2`.`orders_ordered_on` AS `orders_ordered_on`,
      `q_2`.`orders_amount` AS `orders_amount`,
      `q_2`.`__ivm_side` AS `__ivm_side`,
      SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
    FROM (
      SELECT
        `orders`.`order_id` AS `orders_order_id`,
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
        `ivm_materialized_1`.`orders_order_id` AS `orders_order_id`,
        `ivm_materialized_1`.`orders_customer_id` AS `orders_customer_id`,
        `ivm_materialized_1`.`orders_ordered_on` AS `orders_ordered_on`,
        `ivm_materialized_1`.`orders_amount` AS `orders_amount`,
        -1 AS `__ivm_side`,
        -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
      FROM ivm_materialized_1 AS `ivm_materialized_1`
    ) AS `q_2`
    GROUP BY
      `q_2`.`orders_order_id`,
      `q_2`.`orders_customer_id`,
      `q_2`.`orders_ordered_on`,
      `q_2`.`orders_amount`,
      `q_2`.`__ivm_side`
  ) AS `q_3`
  WHERE
    `q_3`.`__ivm_times` > 0
) AS `q_4`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`q_4`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`;

cache table ivm_materialized_change as
SELECT
  `q_7`.`order_id` AS `order_id`,
  `q_7`.`amount` AS `amount`,
  `q_7`.`best_2` AS `best_2`,
  `q_7`.`place_2` AS `place_2`,
  `q_7`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q_6`.`order_id` AS `order_id`,
    `q_6`.`amount` AS `amount`,
    `q_6`.`best_2` AS `best_2`,
    `q_6`.`place_2` AS `place_2`,
    COALESCE(SUM(`q_6`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `q_5`.`orders_order_id` AS `order_id`,
      `q_5`.`orders_amount` AS `amount`,
      `q_5`.`best` AS `best_2`,
      dense_rank() OVER (
        PARTITION BY `q_5`.`orders_ordered_on`, `q_5`.`__ivm_side`
        ORDER BY `q_5`.`orders_amount` DESC
      ) AS `place_2`,
      `q_5`.`__ivm_side` AS `__ivm_weight`
    FROM (
      SELECT
        `q_4`.`orders_order_id` AS `orders_order_id`,
        `q_4`.`orders_customer_id` AS `orders_customer_id`,
        `q_4`.`orders_ordered_on` AS `orders_ordered_on`,
        `q_4`.`orders_amount` AS `orders_amount`,
        `q_4`.`best` AS `best`,
        `q_4`.`__ivm_side` AS `__ivm_side`,
        `q_4`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q_3`.`orders_order_id` AS `orders_order_id`,
          `q_3`.`orders_customer_id` AS `orders_customer_id`,
          `q_3`.`orders_ordered_on` AS `orders_ordered_on`,
          `q_3`.`orders_amount` AS `orders_amount`,
          `q_3`.`best` AS `best`,
          `q_3`.`__ivm_side` AS `__ivm_side`,
          SUM(`q_3`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `q`.`orders_order_id` AS `orders_order_id`,
            `q`.`orders_customer_id` AS `orders_customer_id`,
            `q`.`orders_ordered_on` AS `orders_ordered_on`,
            `q`.`orders_amount` AS `orders_amount`,
            `q`.`best` AS `best`,
            `generated`.`__ivm_side` AS `__ivm_side`,
            1 AS `__ivm_weight`
          FROM (
            SELECT
              `orders`.`order_id` AS `orders_order_id`,
              `orders`.`customer_id` AS `orders_customer_id`,
              `orders`.`ordered_on` AS `orders_ordered_on`,
              `orders`.`amount` AS `orders_amount`,
              max(`orders`.`amount`) OVER (PARTITION BY `orders`.`customer_id`) AS `best`,
              `orders`.`ordered_on` AS `__ivm_key_0`
            FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
          ) AS `q`
          LEFT SEMI JOIN (
            SELECT DISTINCT
              `ivm_materialized_2`.`orders_ordered_on` AS `__ivm_touched_0`
            FROM ivm_materialized_2 AS `ivm_materialized_2`
          ) AS `q_2`
            ON `q`.`__ivm_key_0` IS NOT DISTINCT FROM `q_2`.`__ivm_touched_0`
          LATERAL VIEW
          EXPLODE(array(1, -1)) generated AS `__ivm_side`
          UNION ALL
          SELECT
            `ivm_materialized_2`.`orders_order_id` AS `orders_order_id`,
            `ivm_materialized_2`.`orders_customer_id` AS `orders_customer_id`,
            `ivm_materialized_2`.`orders_ordered_on` AS `orders_ordered_on`,
            `ivm_materialized_2`.`orders_amount` AS `orders_amount`,
            `ivm_materialized_2`.`best` AS `best`,
            -1 AS `__ivm_side`,
            -`ivm_materialized_2`.`__ivm_weight` AS `__ivm_weight`
          FROM ivm_materialized_2 AS `ivm_materialized_2`
        ) AS `q_3`
        GROUP BY
          `q_3`.`orders_order_id`,
          `q_3`.`orders_customer_id`,
          `q_3`.`orders_ordered_on`,
          `q_3`.`orders_amount`,
          `q_3`.`best`,
          `q_3`.`__ivm_side`
      ) AS `q_4`
      WHERE
        `q_4`.`__ivm_times` > 0
    ) AS `q_5`
    LATERAL VIEW
    EXPLODE(array_repeat(0, CAST(`q_5`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`
  ) AS `q_6`
  GROUP BY
    `q_6`.`order_id`,
    `q_6`.`amount`,
    `q_6`.`best_2`,
    `q_6`.`place_2`
) AS `q_7`
WHERE
  `q_7`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`order_id` AS `order_id`,
  `q_3`.`amount` AS `amount`,
  `q_3`.`best_2` AS `best_2`,
  `q_3`.`place_2` AS `place_2`,
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
    `q_2`.`amount` AS `amount`,
    `q_2`.`best_2` AS `best_2`,
    `q_2`.`place_2` AS `place_2`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`order_id` AS `order_id`,
      `ivm_materialized_change`.`amount` AS `amount`,
      `ivm_materialized_change`.`best_2` AS `best_2`,
      `ivm_materialized_change`.`place_2` AS `place_2`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`order_id` AS `order_id`,
      `state`.`amount` AS `amount`,
      `state`.`best_2` AS `best_2`,
      `state`.`place_2` AS `place_2`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`order_id` AS `__ivm_lost_order_id`,
        `ivm_materialized_change`.`amount` AS `__ivm_lost_amount`,
        `ivm_materialized_change`.`best_2` AS `__ivm_lost_best_2`,
        `ivm_materialized_change`.`place_2` AS `__ivm_lost_place_2`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`order_id` IS NOT DISTINCT FROM `q`.`__ivm_lost_order_id`
      AND `state`.`amount` IS NOT DISTINCT FROM `q`.`__ivm_lost_amount`
      AND `state`.`best_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_best_2`
      AND `state`.`place_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_place_2`
  ) AS `q_2`
  GROUP BY
    `q_2`.`order_id`,
    `q_2`.`amount`,
    `q_2`.`best_2`,
    `q_2`.`place_2`
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
on `s`.`__ivm_gone` AND (`t`.`order_id` IS NOT DISTINCT FROM `s`.`order_id` AND `t`.`amount` IS NOT DISTINCT FROM `s`.`amount` AND `t`.`best_2` IS NOT DISTINCT FROM `s`.`best_2` AND `t`.`place_2` IS NOT DISTINCT FROM `s`.`place_2`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`order_id`, `amount`, `best_2`, `place_2`, `__ivm_count`) values (
  `s`.`order_id`,
  `s`.`amount`,
  `s`.`best_2`,
  `s`.`place_2`,
  `s`.`__ivm_count`
)

-- merge of changes in orders
cache table ivm_materialized_1 as
SELECT
  `orders`.`order_id` AS `orders_order_id`,
  `orders`.`customer_id` AS `orders_customer_id`,
  `orders`.`ordered_on` AS `orders_ordered_on`,
  `orders`.`amount` AS `orders_amount`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `order_id`,
    `customer_id`,
    `ordered_on`,
    `amount`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `orders`;

cache table ivm_materialized_2 as
SELECT
  `q_4`.`orders_order_id` AS `orders_order_id`,
  `q_4`.`orders_customer_id` AS `orders_customer_id`,
  `q_4`.`orders_ordered_on` AS `orders_ordered_on`,
  `q_4`.`orders_amount` AS `orders_amount`,
  max(`q_4`.`orders_amount`) OVER (PARTITION BY `q_4`.`orders_customer_id`, `q_4`.`__ivm_side`) AS `best`,
  `q_4`.`__ivm_side` AS `__ivm_weight`
FROM (
  SELECT
    `q_3`.`orders_order_id` AS `orders_order_id`,
    `q_3`.`orders_customer_id` AS `orders_customer_id`,
    `q_3`.`orders_ordered_on` AS `orders_ordered_on`,
    `q_3`.`orders_amount` AS `orders_amount`,
    `q_3`.`__ivm_side` AS `__ivm_side`,
    `q_3`.`__ivm_times` AS `__ivm_times`
  FROM (
    SELECT
      `q_2`.`orders_order_id` AS `orders_order_id`,
      `q_2`.`orders_customer_id` AS `orders_customer_id`,
      `q_2`.`orders_ordered_on` AS `orders_ordered_on`,
      `q_2`.`orders_amount` AS `orders_amount`,
      `q_2`.`__ivm_side` AS `__ivm_side`,
      SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
    FROM (
      SELECT
        `orders`.`order_id` AS `orders_order_id`,
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
        `ivm_materialized_1`.`orders_order_id` AS `orders_order_id`,
        `ivm_materialized_1`.`orders_customer_id` AS `orders_customer_id`,
        `ivm_materialized_1`.`orders_ordered_on` AS `orders_ordered_on`,
        `ivm_materialized_1`.`orders_amount` AS `orders_amount`,
        -1 AS `__ivm_side`,
        -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
      FROM ivm_materialized_1 AS `ivm_materialized_1`
    ) AS `q_2`
    GROUP BY
      `q_2`.`orders_order_id`,
      `q_2`.`orders_customer_id`,
      `q_2`.`orders_ordered_on`,
      `q_2`.`orders_amount`,
      `q_2`.`__ivm_side`
  ) AS `q_3`
  WHERE
    `q_3`.`__ivm_times` > 0
) AS `q_4`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`q_4`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`;

cache table ivm_materialized_change as
SELECT
  `q_7`.`order_id` AS `order_id`,
  `q_7`.`amount` AS `amount`,
  `q_7`.`best_2` AS `best_2`,
  `q_7`.`place_2` AS `place_2`,
  `q_7`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q_6`.`order_id` AS `order_id`,
    `q_6`.`amount` AS `amount`,
    `q_6`.`best_2` AS `best_2`,
    `q_6`.`place_2` AS `place_2`,
    COALESCE(SUM(`q_6`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `q_5`.`orders_order_id` AS `order_id`,
      `q_5`.`orders_amount` AS `amount`,
      `q_5`.`best` AS `best_2`,
      dense_rank() OVER (
        PARTITION BY `q_5`.`orders_ordered_on`, `q_5`.`__ivm_side`
        ORDER BY `q_5`.`orders_amount` DESC
      ) AS `place_2`,
      `q_5`.`__ivm_side` AS `__ivm_weight`
    FROM (
      SELECT
        `q_4`.`orders_order_id` AS `orders_order_id`,
        `q_4`.`orders_customer_id` AS `orders_customer_id`,
        `q_4`.`orders_ordered_on` AS `orders_ordered_on`,
        `q_4`.`orders_amount` AS `orders_amount`,
        `q_4`.`best` AS `best`,
        `q_4`.`__ivm_side` AS `__ivm_side`,
        `q_4`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q_3`.`orders_order_id` AS `orders_order_id`,
          `q_3`.`orders_customer_id` AS `orders_customer_id`,
          `q_3`.`orders_ordered_on` AS `orders_ordered_on`,
          `q_3`.`orders_amount` AS `orders_amount`,
          `q_3`.`best` AS `best`,
          `q_3`.`__ivm_side` AS `__ivm_side`,
          SUM(`q_3`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `q`.`orders_order_id` AS `orders_order_id`,
            `q`.`orders_customer_id` AS `orders_customer_id`,
            `q`.`orders_ordered_on` AS `orders_ordered_on`,
            `q`.`orders_amount` AS `orders_amount`,
            `q`.`best` AS `best`,
            `generated`.`__ivm_side` AS `__ivm_side`,
            1 AS `__ivm_weight`
          FROM (
            SELECT
              `orders`.`order_id` AS `orders_order_id`,
              `orders`.`customer_id` AS `orders_customer_id`,
              `orders`.`ordered_on` AS `orders_ordered_on`,
              `orders`.`amount` AS `orders_amount`,
              max(`orders`.`amount`) OVER (PARTITION BY `orders`.`customer_id`) AS `best`,
              `orders`.`ordered_on` AS `__ivm_key_0`
            FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
          ) AS `q`
          LEFT SEMI JOIN (
            SELECT DISTINCT
              `ivm_materialized_2`.`orders_ordered_on` AS `__ivm_touched_0`
            FROM ivm_materialized_2 AS `ivm_materialized_2`
          ) AS `q_2`
            ON `q`.`__ivm_key_0` IS NOT DISTINCT FROM `q_2`.`__ivm_touched_0`
          LATERAL VIEW
          EXPLODE(array(1, -1)) generated AS `__ivm_side`
          UNION ALL
          SELECT
            `ivm_materialized_2`.`orders_order_id` AS `orders_order_id`,
            `ivm_materialized_2`.`orders_customer_id` AS `orders_customer_id`,
            `ivm_materialized_2`.`orders_ordered_on` AS `orders_ordered_on`,
            `ivm_materialized_2`.`orders_amount` AS `orders_amount`,
            `ivm_materialized_2`.`best` AS `best`,
            -1 AS `__ivm_side`,
            -`ivm_materialized_2`.`__ivm_weight` AS `__ivm_weight`
          FROM ivm_materialized_2 AS `ivm_materialized_2`
        ) AS `q_3`
        GROUP BY
          `q_3`.`orders_order_id`,
          `q_3`.`orders_customer_id`,
          `q_3`.`orders_ordered_on`,
          `q_3`.`orders_amount`,
          `q_3`.`best`,
          `q_3`.`__ivm_side`
      ) AS `q_4`
      WHERE
        `q_4`.`__ivm_times` > 0
    ) AS `q_5`
    LATERAL VIEW
    EXPLODE(array_repeat(0, CAST(`q_5`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`
  ) AS `q_6`
  GROUP BY
    `q_6`.`order_id`,
    `q_6`.`amount`,
    `q_6`.`best_2`,
    `q_6`.`place_2`
) AS `q_7`
WHERE
  `q_7`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`order_id` AS `order_id`,
  `q_3`.`amount` AS `amount`,
  `q_3`.`best_2` AS `best_2`,
  `q_3`.`place_2` AS `place_2`,
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
    `q_2`.`amount` AS `amount`,
    `q_2`.`best_2` AS `best_2`,
    `q_2`.`place_2` AS `place_2`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`order_id` AS `order_id`,
      `ivm_materialized_change`.`amount` AS `amount`,
      `ivm_materialized_change`.`best_2` AS `best_2`,
      `ivm_materialized_change`.`place_2` AS `place_2`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`order_id` AS `order_id`,
      `state`.`amount` AS `amount`,
      `state`.`best_2` AS `best_2`,
      `state`.`place_2` AS `place_2`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`order_id` AS `__ivm_lost_order_id`,
        `ivm_materialized_change`.`amount` AS `__ivm_lost_amount`,
        `ivm_materialized_change`.`best_2` AS `__ivm_lost_best_2`,
        `ivm_materialized_change`.`place_2` AS `__ivm_lost_place_2`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`order_id` IS NOT DISTINCT FROM `q`.`__ivm_lost_order_id`
      AND `state`.`amount` IS NOT DISTINCT FROM `q`.`__ivm_lost_amount`
      AND `state`.`best_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_best_2`
      AND `state`.`place_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_place_2`
  ) AS `q_2`
  GROUP BY
    `q_2`.`order_id`,
    `q_2`.`amount`,
    `q_2`.`best_2`,
    `q_2`.`place_2`
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
on `s`.`__ivm_gone` AND (`t`.`order_id` IS NOT DISTINCT FROM `s`.`order_id` AND `t`.`amount` IS NOT DISTINCT FROM `s`.`amount` AND `t`.`best_2` IS NOT DISTINCT FROM `s`.`best_2` AND `t`.`place_2` IS NOT DISTINCT FROM `s`.`place_2`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`order_id`, `amount`, `best_2`, `place_2`, `__ivm_count`) values (
  `s`.`order_id`,
  `s`.`amount`,
  `s`.`best_2`,
  `s`.`place_2`,
  `s`.`__ivm_count`
)
