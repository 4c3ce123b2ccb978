-- view
select order_id, row_number() over (partition by customer_id order by amount desc) as place from shop.orders

-- types
place int

-- state
SELECT
  `orders`.`order_id` AS `order_id`,
  row_number() OVER (
    PARTITION BY `orders`.`customer_id`
    ORDER BY `orders`.`amount` DESC, `orders`.`order_id`
  ) AS `place_2`,
  CAST(1 AS BIGINT) AS `__ivm_count`
FROM `shop`.`orders` VERSION AS OF 9 AS `orders`

-- visible
SELECT
  `state`.`order_id` AS `order_id`,
  `state`.`place_2` AS `place_2`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- merge of inserts in orders
cache table ivm_materialized_1 as
SELECT
  `orders`.`order_id` AS `orders_order_id`,
  `orders`.`customer_id` AS `orders_customer_id`,
  `orders`.`amount` AS `orders_amount`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `order_id`,
    `customer_id`,
    `amount`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `orders`;

cache table ivm_materialized_change as
SELECT
  `q_6`.`order_id` AS `order_id`,
  `q_6`.`place_2` AS `place_2`,
  `q_6`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q_5`.`orders_order_id` AS `order_id`,
    `q_5`.`place` AS `place_2`,
    COALESCE(SUM(`q_5`.`__ivm_side`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `q_4`.`orders_order_id` AS `orders_order_id`,
      `q_4`.`orders_customer_id` AS `orders_customer_id`,
      `q_4`.`orders_amount` AS `orders_amount`,
      `q_4`.`__ivm_late` AS `__ivm_late`,
      `q_4`.`__ivm_side` AS `__ivm_side`,
      row_number() OVER (
        PARTITION BY `q_4`.`orders_customer_id`, `q_4`.`__ivm_side`
        ORDER BY `q_4`.`orders_amount` DESC, `q_4`.`orders_order_id`
      ) AS `place`
    FROM (
      SELECT
        `q_3`.`orders_order_id` AS `orders_order_id`,
        `q_3`.`orders_customer_id` AS `orders_customer_id`,
        `q_3`.`orders_amount` AS `orders_amount`,
        `q_3`.`__ivm_late` AS `__ivm_late`,
        `q_3`.`__ivm_side` AS `__ivm_side`,
        `q_3`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q_2`.`orders_order_id` AS `orders_order_id`,
          `q_2`.`orders_customer_id` AS `orders_customer_id`,
          `q_2`.`orders_amount` AS `orders_amount`,
          `q_2`.`__ivm_late` AS `__ivm_late`,
          `q_2`.`__ivm_side` AS `__ivm_side`,
          SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `orders`.`order_id` AS `orders_order_id`,
            `orders`.`customer_id` AS `orders_customer_id`,
            `orders`.`amount` AS `orders_amount`,
            `orders`.`amount` IS NULL
            OR `q`.`__ivm_first` IS NULL
            OR `orders`.`amount` <= `q`.`__ivm_first` AS `__ivm_late`,
            `generated`.`__ivm_side` AS `__ivm_side`,
            1 AS `__ivm_weight`
          FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
          JOIN (
            SELECT
              `ivm_materialized_1`.`orders_customer_id` AS `__ivm_touched_0`,
              MAX(`ivm_materialized_1`.`orders_amount`) AS `__ivm_cut`,
              MAX(`ivm_materialized_1`.`orders_amount`) AS `__ivm_first`
            FROM ivm_materialized_1 AS `ivm_materialized_1`
            GROUP BY
              `ivm_materialized_1`.`orders_customer_id`
          ) AS `q`
            ON `orders`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_touched_0`
          LATERAL VIEW
          EXPLODE(array(1, -1)) generated AS `__ivm_side`
          UNION ALL
          SELECT
            `ivm_materialized_1`.`orders_order_id` AS `orders_order_id`,
            `ivm_materialized_1`.`orders_customer_id` AS `orders_customer_id`,
            `ivm_materialized_1`.`orders_amount` AS `orders_amount`,
            TRUE AS `__ivm_late`,
            -1 AS `__ivm_side`,
            -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
          FROM ivm_materialized_1 AS `ivm_materialized_1`
        ) AS `q_2`
        GROUP BY
          `q_2`.`orders_order_id`,
          `q_2`.`orders_customer_id`,
          `q_2`.`orders_amount`,
          `q_2`.`__ivm_late`,
          `q_2`.`__ivm_side`
      ) AS `q_3`
      WHERE
        `q_3`.`__ivm_times` > 0
    ) AS `q_4`
    LATERAL VIEW
    EXPLODE(array_repeat(0, CAST(`q_4`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`
  ) AS `q_5`
  WHERE
    `q_5`.`__ivm_late`
  GROUP BY
    `q_5`.`orders_order_id`,
    `q_5`.`place`
) AS `q_6`
WHERE
  `q_6`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`order_id` AS `order_id`,
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
    `q_2`.`place_2` AS `place_2`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`order_id` AS `order_id`,
      `ivm_materialized_change`.`place_2` AS `place_2`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`order_id` AS `order_id`,
      `state`.`place_2` AS `place_2`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`order_id` AS `__ivm_lost_order_id`,
        `ivm_materialized_change`.`place_2` AS `__ivm_lost_place_2`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`order_id` IS NOT DISTINCT FROM `q`.`__ivm_lost_order_id`
      AND `state`.`place_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_place_2`
  ) AS `q_2`
  GROUP BY
    `q_2`.`order_id`,
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
on `s`.`__ivm_gone` AND (`t`.`order_id` IS NOT DISTINCT FROM `s`.`order_id` AND `t`.`place_2` IS NOT DISTINCT FROM `s`.`place_2`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`order_id`, `place_2`, `__ivm_count`) values (
  `s`.`order_id`,
  `s`.`place_2`,
  `s`.`__ivm_count`
)

-- merge of changes in orders
cache table ivm_materialized_1 as
SELECT
  `orders`.`order_id` AS `orders_order_id`,
  `orders`.`customer_id` AS `orders_customer_id`,
  `orders`.`amount` AS `orders_amount`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `order_id`,
    `customer_id`,
    `amount`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `orders`;

cache table ivm_materialized_change as
SELECT
  `q_6`.`order_id` AS `order_id`,
  `q_6`.`place_2` AS `place_2`,
  `q_6`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q_5`.`orders_order_id` AS `order_id`,
    `q_5`.`place` AS `place_2`,
    COALESCE(SUM(`q_5`.`__ivm_side`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `q_4`.`orders_order_id` AS `orders_order_id`,
      `q_4`.`orders_customer_id` AS `orders_customer_id`,
      `q_4`.`orders_amount` AS `orders_amount`,
      `q_4`.`__ivm_late` AS `__ivm_late`,
      `q_4`.`__ivm_side` AS `__ivm_side`,
      row_number() OVER (
        PARTITION BY `q_4`.`orders_customer_id`, `q_4`.`__ivm_side`
        ORDER BY `q_4`.`orders_amount` DESC, `q_4`.`orders_order_id`
      ) AS `place`
    FROM (
      SELECT
        `q_3`.`orders_order_id` AS `orders_order_id`,
        `q_3`.`orders_customer_id` AS `orders_customer_id`,
        `q_3`.`orders_amount` AS `orders_amount`,
        `q_3`.`__ivm_late` AS `__ivm_late`,
        `q_3`.`__ivm_side` AS `__ivm_side`,
        `q_3`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q_2`.`orders_order_id` AS `orders_order_id`,
          `q_2`.`orders_customer_id` AS `orders_customer_id`,
          `q_2`.`orders_amount` AS `orders_amount`,
          `q_2`.`__ivm_late` AS `__ivm_late`,
          `q_2`.`__ivm_side` AS `__ivm_side`,
          SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `orders`.`order_id` AS `orders_order_id`,
            `orders`.`customer_id` AS `orders_customer_id`,
            `orders`.`amount` AS `orders_amount`,
            `orders`.`amount` IS NULL
            OR `q`.`__ivm_first` IS NULL
            OR `orders`.`amount` <= `q`.`__ivm_first` AS `__ivm_late`,
            `generated`.`__ivm_side` AS `__ivm_side`,
            1 AS `__ivm_weight`
          FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
          JOIN (
            SELECT
              `ivm_materialized_1`.`orders_customer_id` AS `__ivm_touched_0`,
              MAX(`ivm_materialized_1`.`orders_amount`) AS `__ivm_cut`,
              MAX(`ivm_materialized_1`.`orders_amount`) AS `__ivm_first`
            FROM ivm_materialized_1 AS `ivm_materialized_1`
            GROUP BY
              `ivm_materialized_1`.`orders_customer_id`
          ) AS `q`
            ON `orders`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_touched_0`
          LATERAL VIEW
          EXPLODE(array(1, -1)) generated AS `__ivm_side`
          UNION ALL
          SELECT
            `ivm_materialized_1`.`orders_order_id` AS `orders_order_id`,
            `ivm_materialized_1`.`orders_customer_id` AS `orders_customer_id`,
            `ivm_materialized_1`.`orders_amount` AS `orders_amount`,
            TRUE AS `__ivm_late`,
            -1 AS `__ivm_side`,
            -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
          FROM ivm_materialized_1 AS `ivm_materialized_1`
        ) AS `q_2`
        GROUP BY
          `q_2`.`orders_order_id`,
          `q_2`.`orders_customer_id`,
          `q_2`.`orders_amount`,
          `q_2`.`__ivm_late`,
          `q_2`.`__ivm_side`
      ) AS `q_3`
      WHERE
        `q_3`.`__ivm_times` > 0
    ) AS `q_4`
    LATERAL VIEW
    EXPLODE(array_repeat(0, CAST(`q_4`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`
  ) AS `q_5`
  WHERE
    `q_5`.`__ivm_late`
  GROUP BY
    `q_5`.`orders_order_id`,
    `q_5`.`place`
) AS `q_6`
WHERE
  `q_6`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`order_id` AS `order_id`,
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
    `q_2`.`place_2` AS `place_2`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`order_id` AS `order_id`,
      `ivm_materialized_change`.`place_2` AS `place_2`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`order_id` AS `order_id`,
      `state`.`place_2` AS `place_2`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`order_id` AS `__ivm_lost_order_id`,
        `ivm_materialized_change`.`place_2` AS `__ivm_lost_place_2`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`order_id` IS NOT DISTINCT FROM `q`.`__ivm_lost_order_id`
      AND `state`.`place_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_place_2`
  ) AS `q_2`
  GROUP BY
    `q_2`.`order_id`,
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
on `s`.`__ivm_gone` AND (`t`.`order_id` IS NOT DISTINCT FROM `s`.`order_id` AND `t`.`place_2` IS NOT DISTINCT FROM `s`.`place_2`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`order_id`, `place_2`, `__ivm_count`) values (
  `s`.`order_id`,
  `s`.`place_2`,
  `s`.`__ivm_count`
)
