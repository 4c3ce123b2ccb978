-- view
select o.order_id, l.name, l.total from shop.orders o left join lateral (select c.name, o.amount + c.customer_id as total from shop.customers c where c.customer_id = o.customer_id) l on true

-- types
- total decimal(22,2)

-- state
SELECT
  `o`.`order_id` AS `order_id`,
  CASE WHEN NOT `q`.`__ivm_lateral_there` IS NULL THEN `q`.`c_name` END AS `name_2`,
  CASE
    WHEN NOT `q`.`__ivm_lateral_there` IS NULL
    THEN `o`.`amount` + `q`.`c_customer_id`
  END AS `total_2`,
  CAST(1 AS BIGINT) AS `__ivm_count`
FROM `shop`.`orders` VERSION AS OF 9 AS `o`
LEFT JOIN (
  SELECT
    `c`.`customer_id` AS `c_customer_id`,
    `c`.`name` AS `c_name`,
    1 AS `__ivm_lateral_there`
  FROM `shop`.`customers` VERSION AS OF 9 AS `c`
) AS `q`
  ON `q`.`c_customer_id` = `o`.`customer_id` AND TRUE

-- visible
SELECT
  `state`.`order_id` AS `order_id`,
  `state`.`name_2` AS `name_2`,
  `state`.`total_2` AS `total_2`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- merge of inserts in customers
cache table ivm_materialized_1 as
SELECT
  `c`.`customer_id` AS `c_customer_id`,
  `c`.`name` AS `c_name`,
  1 AS `__ivm_lateral_there`,
  `c`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `customer_id`,
    `name`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`customers`', 8, 9)
) AS `c`;

cache table ivm_materialized_change as
SELECT
  `q_8`.`order_id` AS `order_id`,
  `q_8`.`name_2` AS `name_2`,
  `q_8`.`total_2` AS `total_2`,
  `q_8`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q_6`.`o_order_id` AS `order_id`,
    CASE WHEN NOT `q_7`.`__ivm_lateral_there` IS NULL THEN `q_7`.`c_name` END AS `name_2`,
    CASE
      WHEN NOT `q_7`.`__ivm_lateral_there` IS NULL
      THEN `q_6`.`o_amount` + `q_7`.`c_customer_id`
    END AS `total_2`,
    COALESCE(SUM(`q_6`.`__ivm_weight` * `q_6`.`__ivm_kept_side`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `o`.`order_id` AS `o_order_id`,
      `o`.`customer_id` AS `o_customer_id`,
      `o`.`amount` AS `o_amount`,
      `generated`.`__ivm_kept_side` AS `__ivm_kept_side`,
      1 AS `__ivm_weight`
    FROM `shop`.`orders` VERSION AS OF 9 AS `o`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_1`.`c_customer_id` AS `c_customer_id`,
        `ivm_materialized_1`.`c_name` AS `c_name`,
        `ivm_materialized_1`.`__ivm_lateral_there` AS `__ivm_lateral_there`
      FROM ivm_materialized_1 AS `ivm_materialized_1`
    ) AS `q`
      ON `q`.`c_customer_id` = `o`.`customer_id` AND TRUE
    LATERAL VIEW
    EXPLODE(array(1, -1)) generated AS `__ivm_kept_side`
  ) AS `q_6`
  LEFT JOIN (
    SELECT
      `q_5`.`c_customer_id` AS `c_customer_id`,
      `q_5`.`c_name` AS `c_name`,
      `q_5`.`__ivm_lateral_there` AS `__ivm_lateral_there`,
      `q_5`.`__ivm_side` AS `__ivm_side`
    FROM (
      SELECT
        `q_4`.`c_customer_id` AS `c_customer_id`,
        `q_4`.`c_name` AS `c_name`,
        `q_4`.`__ivm_lateral_there` AS `__ivm_lateral_there`,
        `q_4`.`__ivm_side` AS `__ivm_side`,
        `q_4`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q_3`.`c_customer_id` AS `c_customer_id`,
          `q_3`.`c_name` AS `c_name`,
          `q_3`.`__ivm_lateral_there` AS `__ivm_lateral_there`,
          `q_3`.`__ivm_side` AS `__ivm_side`,
          SUM(`q_3`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `c`.`customer_id` AS `c_customer_id`,
            `c`.`name` AS `c_name`,
            1 AS `__ivm_lateral_there`,
            `generated_2`.`__ivm_side` AS `__ivm_side`,
            1 AS `__ivm_weight`
          FROM `shop`.`customers` VERSION AS OF 9 AS `c`
          LEFT SEMI JOIN (
            SELECT DISTINCT
              `ivm_materialized_1`.`c_customer_id` AS `__ivm_touched_0`
            FROM ivm_materialized_1 AS `ivm_materialized_1`
          ) AS `q_2`
            ON `c`.`customer_id` IS NOT DISTINCT FROM `q_2`.`__ivm_touched_0`
          LATERAL VIEW
          EXPLODE(array(1, -1)) generated_2 AS `__ivm_side`
          UNION ALL
          SELECT
            `ivm_materialized_1`.`c_customer_id` AS `c_customer_id`,
            `ivm_materialized_1`.`c_name` AS `c_name`,
            `ivm_materialized_1`.`__ivm_lateral_there` AS `__ivm_lateral_there`,
            -1 AS `__ivm_side`,
            -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
          FROM ivm_materialized_1 AS `ivm_materialized_1`
        ) AS `q_3`
        GROUP BY
          `q_3`.`c_customer_id`,
          `q_3`.`c_name`,
          `q_3`.`__ivm_lateral_there`,
          `q_3`.`__ivm_side`
      ) AS `q_4`
      WHERE
        `q_4`.`__ivm_times` > 0
    ) AS `q_5`
    LATERAL VIEW
    EXPLODE(array_repeat(0, CAST(`q_5`.`__ivm_times` AS INT))) generated_3 AS `__ivm_copy`
  ) AS `q_7`
    ON `q_7`.`c_customer_id` = `q_6`.`o_customer_id`
    AND TRUE
    AND `q_6`.`__ivm_kept_side` = `q_7`.`__ivm_side`
  GROUP BY
    `q_6`.`o_order_id`,
    CASE WHEN NOT `q_7`.`__ivm_lateral_there` IS NULL THEN `q_7`.`c_name` END,
    CASE
      WHEN NOT `q_7`.`__ivm_lateral_there` IS NULL
      THEN `q_6`.`o_amount` + `q_7`.`c_customer_id`
    END
) AS `q_8`
WHERE
  `q_8`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`order_id` AS `order_id`,
  `q_3`.`name_2` AS `name_2`,
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
    `q_2`.`order_id` AS `order_id`,
    `q_2`.`name_2` AS `name_2`,
    `q_2`.`total_2` AS `total_2`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`order_id` AS `order_id`,
      `ivm_materialized_change`.`name_2` AS `name_2`,
      `ivm_materialized_change`.`total_2` AS `total_2`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`order_id` AS `order_id`,
      `state`.`name_2` AS `name_2`,
      `state`.`total_2` AS `total_2`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`order_id` AS `__ivm_lost_order_id`,
        `ivm_materialized_change`.`name_2` AS `__ivm_lost_name_2`,
        `ivm_materialized_change`.`total_2` AS `__ivm_lost_total_2`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`order_id` IS NOT DISTINCT FROM `q`.`__ivm_lost_order_id`
      AND `state`.`name_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_name_2`
      AND `state`.`total_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_total_2`
  ) AS `q_2`
  GROUP BY
    `q_2`.`order_id`,
    `q_2`.`name_2`,
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
on `s`.`__ivm_gone` AND (`t`.`order_id` IS NOT DISTINCT FROM `s`.`order_id` AND `t`.`name_2` IS NOT DISTINCT FROM `s`.`name_2` AND `t`.`total_2` IS NOT DISTINCT FROM `s`.`total_2`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`order_id`, `name_2`, `total_2`, `__ivm_count`) values (
  `s`.`order_id`,
  `s`.`name_2`,
  `s`.`total_2`,
  `s`.`__ivm_count`
)

-- merge of inserts in orders
cache table ivm_materialized_change as
SELECT
  `q_2`.`order_id` AS `order_id`,
  `q_2`.`name_2` AS `name_2`,
  `q_2`.`total_2` AS `total_2`,
  `q_2`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `o`.`order_id` AS `order_id`,
    CASE WHEN NOT `q`.`__ivm_lateral_there` IS NULL THEN `q`.`c_name` END AS `name_2`,
    CASE
      WHEN NOT `q`.`__ivm_lateral_there` IS NULL
      THEN `o`.`amount` + `q`.`c_customer_id`
    END AS `total_2`,
    COALESCE(SUM(`o`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `order_id`,
      `customer_id`,
      `amount`,
      IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`orders`', 8, 9)
  ) AS `o`
  LEFT JOIN (
    SELECT
      `c`.`customer_id` AS `c_customer_id`,
      `c`.`name` AS `c_name`,
      1 AS `__ivm_lateral_there`
    FROM `shop`.`customers` VERSION AS OF 9 AS `c`
  ) AS `q`
    ON `q`.`c_customer_id` = `o`.`customer_id` AND TRUE
  GROUP BY
    `o`.`order_id`,
    CASE WHEN NOT `q`.`__ivm_lateral_there` IS NULL THEN `q`.`c_name` END,
    CASE
      WHEN NOT `q`.`__ivm_lateral_there` IS NULL
      THEN `o`.`amount` + `q`.`c_customer_id`
    END
) AS `q_2`
WHERE
  `q_2`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`order_id` AS `order_id`,
  `q_3`.`name_2` AS `name_2`,
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
    `q_2`.`order_id` AS `order_id`,
    `q_2`.`name_2` AS `name_2`,
    `q_2`.`total_2` AS `total_2`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`order_id` AS `order_id`,
      `ivm_materialized_change`.`name_2` AS `name_2`,
      `ivm_materialized_change`.`total_2` AS `total_2`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`order_id` AS `order_id`,
      `state`.`name_2` AS `name_2`,
      `state`.`total_2` AS `total_2`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`order_id` AS `__ivm_lost_order_id`,
        `ivm_materialized_change`.`name_2` AS `__ivm_lost_name_2`,
        `ivm_materialized_change`.`total_2` AS `__ivm_lost_total_2`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`order_id` IS NOT DISTINCT FROM `q`.`__ivm_lost_order_id`
      AND `state`.`name_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_name_2`
      AND `state`.`total_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_total_2`
  ) AS `q_2`
  GROUP BY
    `q_2`.`order_id`,
    `q_2`.`name_2`,
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
on `s`.`__ivm_gone` AND (`t`.`order_id` IS NOT DISTINCT FROM `s`.`order_id` AND `t`.`name_2` IS NOT DISTINCT FROM `s`.`name_2` AND `t`.`total_2` IS NOT DISTINCT FROM `s`.`total_2`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`order_id`, `name_2`, `total_2`, `__ivm_count`) values (
  `s`.`order_id`,
  `s`.`name_2`,
  `s`.`total_2`,
  `s`.`__ivm_count`
)

-- merge of changes in orders
cache table ivm_materialized_change as
SELECT
  `q_2`.`order_id` AS `order_id`,
  `q_2`.`name_2` AS `name_2`,
  `q_2`.`total_2` AS `total_2`,
  `q_2`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `o`.`order_id` AS `order_id`,
    CASE WHEN NOT `q`.`__ivm_lateral_there` IS NULL THEN `q`.`c_name` END AS `name_2`,
    CASE
      WHEN NOT `q`.`__ivm_lateral_there` IS NULL
      THEN `o`.`amount` + `q`.`c_customer_id`
    END AS `total_2`,
    COALESCE(SUM(`o`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `order_id`,
      `customer_id`,
      `amount`,
      IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`orders`', 8, 9)
  ) AS `o`
  LEFT JOIN (
    SELECT
      `c`.`customer_id` AS `c_customer_id`,
      `c`.`name` AS `c_name`,
      1 AS `__ivm_lateral_there`
    FROM `shop`.`customers` VERSION AS OF 9 AS `c`
  ) AS `q`
    ON `q`.`c_customer_id` = `o`.`customer_id` AND TRUE
  GROUP BY
    `o`.`order_id`,
    CASE WHEN NOT `q`.`__ivm_lateral_there` IS NULL THEN `q`.`c_name` END,
    CASE
      WHEN NOT `q`.`__ivm_lateral_there` IS NULL
      THEN `o`.`amount` + `q`.`c_customer_id`
    END
) AS `q_2`
WHERE
  `q_2`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`order_id` AS `order_id`,
  `q_3`.`name_2` AS `name_2`,
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
    `q_2`.`order_id` AS `order_id`,
    `q_2`.`name_2` AS `name_2`,
    `q_2`.`total_2` AS `total_2`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`order_id` AS `order_id`,
      `ivm_materialized_change`.`name_2` AS `name_2`,
      `ivm_materialized_change`.`total_2` AS `total_2`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`order_id` AS `order_id`,
      `state`.`name_2` AS `name_2`,
      `state`.`total_2` AS `total_2`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`order_id` AS `__ivm_lost_order_id`,
        `ivm_materialized_change`.`name_2` AS `__ivm_lost_name_2`,
        `ivm_materialized_change`.`total_2` AS `__ivm_lost_total_2`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`order_id` IS NOT DISTINCT FROM `q`.`__ivm_lost_order_id`
      AND `state`.`name_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_name_2`
      AND `state`.`total_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_total_2`
  ) AS `q_2`
  GROUP BY
    `q_2`.`order_id`,
    `q_2`.`name_2`,
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
on `s`.`__ivm_gone` AND (`t`.`order_id` IS NOT DISTINCT FROM `s`.`order_id` AND `t`.`name_2` IS NOT DISTINCT FROM `s`.`name_2` AND `t`.`total_2` IS NOT DISTINCT FROM `s`.`total_2`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`order_id`, `name_2`, `total_2`, `__ivm_count`) values (
  `s`.`order_id`,
  `s`.`name_2`,
  `s`.`total_2`,
  `s`.`__ivm_count`
)
