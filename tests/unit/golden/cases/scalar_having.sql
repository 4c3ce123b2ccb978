-- view
select customer_id, sum(amount) as total from shop.orders group by customer_id having sum(amount) > (select max(customer_id) from shop.customers)

-- types
--total decimal(22,2)
--__ivm_argument_total decimal(12,2)

-- state
SELECT
  `q_2`.`customer_id` AS `customer_id_2`,
  `q_2`.`total` AS `total_2`,
  CAST(1 AS BIGINT) AS `__ivm_count`
FROM (
  SELECT
    max(`customers`.`customer_id`) AS `col_0`
  FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
) AS `q`
CROSS JOIN (
  SELECT
    `orders`.`customer_id` AS `customer_id`,
    sum(`orders`.`amount`) AS `total`
  FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
  GROUP BY
    `orders`.`customer_id`
) AS `q_2`
WHERE
  `q_2`.`total` > `q`.`col_0`

-- visible
SELECT
  `state`.`customer_id_2` AS `customer_id_2`,
  `state`.`total_2` AS `total_2`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- merge of inserts in customers
cache table ivm_materialized_change as
SELECT
  `q_8`.`customer_id_2` AS `customer_id_2`,
  `q_8`.`total_2` AS `total_2`,
  `q_8`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT /*+ BROADCAST(`q_6`) */
    `q_7`.`customer_id` AS `customer_id_2`,
    `q_7`.`total` AS `total_2`,
    COALESCE(SUM(`q_6`.`__ivm_times`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `q_5`.`col_0` AS `col_0`,
      SUM(`q_5`.`__ivm_weight`) AS `__ivm_times`
    FROM (
      SELECT
        `q`.`col_0` AS `col_0`,
        1 AS `__ivm_weight`
      FROM (
        SELECT
          max(`customers`.`customer_id`) AS `col_0`
        FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
      ) AS `q`
      UNION ALL
      SELECT
        `q_4`.`col_0` AS `col_0`,
        -1 AS `__ivm_weight`
      FROM (
        SELECT
          max(`q_3`.`customers_customer_id`) AS `col_0`
        FROM (
          SELECT
            `q_2`.`customers_customer_id` AS `customers_customer_id`,
            SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
          FROM (
            SELECT
              `customers`.`customer_id` AS `customers_customer_id`,
              1 AS `__ivm_weight`
            FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
            UNION ALL
            SELECT
              `customers`.`customer_id` AS `customers_customer_id`,
              -`customers`.`__ivm_weight` AS `__ivm_weight`
            FROM (
              SELECT
                `customer_id`,
                IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
              FROM table_changes('`shop`.`customers`', 8, 9)
            ) AS `customers`
          ) AS `q_2`
          GROUP BY
            `q_2`.`customers_customer_id`
        ) AS `q_3`
        WHERE
          `q_3`.`__ivm_times` > 0
      ) AS `q_4`
    ) AS `q_5`
    GROUP BY
      `q_5`.`col_0`
  ) AS `q_6`
  CROSS JOIN (
    SELECT
      `orders`.`customer_id` AS `customer_id`,
      sum(`orders`.`amount`) AS `total`
    FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
    GROUP BY
      `orders`.`customer_id`
  ) AS `q_7`
  WHERE
    `q_6`.`__ivm_times` <> 0 AND `q_7`.`total` > `q_6`.`col_0`
  GROUP BY
    `q_7`.`customer_id`,
    `q_7`.`total`
) AS `q_8`
WHERE
  `q_8`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`customer_id_2` AS `customer_id_2`,
  `q_3`.`total_2` AS `total_2`,
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
    `q_2`.`total_2` AS `total_2`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`customer_id_2` AS `customer_id_2`,
      `ivm_materialized_change`.`total_2` AS `total_2`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`customer_id_2` AS `customer_id_2`,
      `state`.`total_2` AS `total_2`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`customer_id_2` AS `__ivm_lost_customer_id_2`,
        `ivm_materialized_change`.`total_2` AS `__ivm_lost_total_2`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`customer_id_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_customer_id_2`
      AND `state`.`total_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_total_2`
  ) AS `q_2`
  GROUP BY
    `q_2`.`customer_id_2`,
    `q_2`.`total_2`
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
on `s`.`__ivm_gone` AND (`t`.`customer_id_2` IS NOT DISTINCT FROM `s`.`customer_id_2` AND `t`.`total_2` IS NOT DISTINCT FROM `s`.`total_2`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`customer_id_2`, `total_2`, `__ivm_count`) values (
  `s`.`customer_id_2`,
  `s`.`total_2`,
  `s`.`__ivm_count`
)

-- merge of inserts in orders
cache table ivm_materialized_1 as
SELECT
  `orders`.`customer_id` AS `orders_customer_id`,
  `orders`.`amount` AS `orders_amount`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `customer_id`,
    `amount`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `orders`;

cache table ivm_materialized_change as
SELECT
  `q_7`.`customer_id_2` AS `customer_id_2`,
  `q_7`.`total_2` AS `total_2`,
  `q_7`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT /*+ BROADCAST(`q_6`) */
    `q_5`.`customer_id` AS `customer_id_2`,
    `q_5`.`total` AS `total_2`,
    COALESCE(SUM(`q_5`.`__ivm_side`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `q_4`.`orders_customer_id` AS `customer_id`,
      `q_4`.`__ivm_side` AS `__ivm_side`,
      sum(`q_4`.`orders_amount`) AS `total`
    FROM (
      SELECT
        `q_3`.`orders_customer_id` AS `orders_customer_id`,
        `q_3`.`orders_amount` AS `orders_amount`,
        `q_3`.`__ivm_side` AS `__ivm_side`,
        `q_3`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q_2`.`orders_customer_id` AS `orders_customer_id`,
          `q_2`.`orders_amount` AS `orders_amount`,
          `q_2`.`__ivm_side` AS `__ivm_side`,
          SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `orders`.`customer_id` AS `orders_customer_id`,
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
            `ivm_materialized_1`.`orders_amount` AS `orders_amount`,
            -1 AS `__ivm_side`,
            -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
          FROM ivm_materialized_1 AS `ivm_materialized_1`
        ) AS `q_2`
        GROUP BY
          `q_2`.`orders_customer_id`,
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
      `q_4`.`__ivm_side`
  ) AS `q_5`
  CROSS JOIN (
    SELECT
      max(`customers`.`customer_id`) AS `col_0`
    FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
  ) AS `q_6`
  WHERE
    `q_5`.`total` > `q_6`.`col_0`
  GROUP BY
    `q_5`.`customer_id`,
    `q_5`.`total`
) AS `q_7`
WHERE
  `q_7`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`customer_id_2` AS `customer_id_2`,
  `q_3`.`total_2` AS `total_2`,
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
    `q_2`.`total_2` AS `total_2`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`customer_id_2` AS `customer_id_2`,
      `ivm_materialized_change`.`total_2` AS `total_2`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`customer_id_2` AS `customer_id_2`,
      `state`.`total_2` AS `total_2`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`customer_id_2` AS `__ivm_lost_customer_id_2`,
        `ivm_materialized_change`.`total_2` AS `__ivm_lost_total_2`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`customer_id_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_customer_id_2`
      AND `state`.`total_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_total_2`
  ) AS `q_2`
  GROUP BY
    `q_2`.`customer_id_2`,
    `q_2`.`total_2`
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
on `s`.`__ivm_gone` AND (`t`.`customer_id_2` IS NOT DISTINCT FROM `s`.`customer_id_2` AND `t`.`total_2` IS NOT DISTINCT FROM `s`.`total_2`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`customer_id_2`, `total_2`, `__ivm_count`) values (
  `s`.`customer_id_2`,
  `s`.`total_2`,
  `s`.`__ivm_count`
)

-- merge of changes in orders
cache table ivm_materialized_1 as
SELECT
  `orders`.`customer_id` AS `orders_customer_id`,
  `orders`.`amount` AS `orders_amount`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `customer_id`,
    `amount`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `orders`;

cache table ivm_materialized_change as
SELECT
  `q_7`.`customer_id_2` AS `customer_id_2`,
  `q_7`.`total_2` AS `total_2`,
  `q_7`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT /*+ BROADCAST(`q_6`) */
    `q_5`.`customer_id` AS `customer_id_2`,
    `q_5`.`total` AS `total_2`,
    COALESCE(SUM(`q_5`.`__ivm_side`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `q_4`.`orders_customer_id` AS `customer_id`,
      `q_4`.`__ivm_side` AS `__ivm_side`,
      sum(`q_4`.`orders_amount`) AS `total`
    FROM (
      SELECT
        `q_3`.`orders_customer_id` AS `orders_customer_id`,
        `q_3`.`orders_amount` AS `orders_amount`,
        `q_3`.`__ivm_side` AS `__ivm_side`,
        `q_3`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q_2`.`orders_customer_id` AS `orders_customer_id`,
          `q_2`.`orders_amount` AS `orders_amount`,
          `q_2`.`__ivm_side` AS `__ivm_side`,
          SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `orders`.`customer_id` AS `orders_customer_id`,
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
            `ivm_materialized_1`.`orders_amount` AS `orders_amount`,
            -1 AS `__ivm_side`,
            -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
          FROM ivm_materialized_1 AS `ivm_materialized_1`
        ) AS `q_2`
        GROUP BY
          `q_2`.`orders_customer_id`,
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
      `q_4`.`__ivm_side`
  ) AS `q_5`
  CROSS JOIN (
    SELECT
      max(`customers`.`customer_id`) AS `col_0`
    FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
  ) AS `q_6`
  WHERE
    `q_5`.`total` > `q_6`.`col_0`
  GROUP BY
    `q_5`.`customer_id`,
    `q_5`.`total`
) AS `q_7`
WHERE
  `q_7`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`customer_id_2` AS `customer_id_2`,
  `q_3`.`total_2` AS `total_2`,
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
    `q_2`.`total_2` AS `total_2`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`customer_id_2` AS `customer_id_2`,
      `ivm_materialized_change`.`total_2` AS `total_2`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`customer_id_2` AS `customer_id_2`,
      `state`.`total_2` AS `total_2`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`customer_id_2` AS `__ivm_lost_customer_id_2`,
        `ivm_materialized_change`.`total_2` AS `__ivm_lost_total_2`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`customer_id_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_customer_id_2`
      AND `state`.`total_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_total_2`
  ) AS `q_2`
  GROUP BY
    `q_2`.`customer_id_2`,
    `q_2`.`total_2`
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
on `s`.`__ivm_gone` AND (`t`.`customer_id_2` IS NOT DISTINCT FROM `s`.`customer_id_2` AND `t`.`total_2` IS NOT DISTINCT FROM `s`.`total_2`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`customer_id_2`, `total_2`, `__ivm_count`) values (
  `s`.`customer_id_2`,
  `s`.`total_2`,
  `s`.`__ivm_count`
)
