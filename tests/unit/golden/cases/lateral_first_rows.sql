-- view
select c.name, l.order_id from shop.customers c, lateral (select o.order_id, o.amount from shop.orders o where o.customer_id = c.customer_id order by o.amount desc limit 2) l

-- state
SELECT
  `c`.`name` AS `name`,
  `q`.`order_id` AS `order_id_2`,
  CAST(1 AS BIGINT) AS `__ivm_count`
FROM `shop`.`customers` VERSION AS OF 9 AS `c`
JOIN (
  SELECT
    `o`.`order_id` AS `order_id`,
    `o`.`amount` AS `amount`,
    `o`.`customer_id` AS `o_customer_id`,
    row_number() OVER (PARTITION BY `o`.`customer_id` ORDER BY `o`.`amount` DESC, `o`.`order_id`) AS `__ivm_lateral_place_0`
  FROM `shop`.`orders` VERSION AS OF 9 AS `o`
) AS `q`
  ON `q`.`o_customer_id` = `c`.`customer_id`
WHERE
  `q`.`__ivm_lateral_place_0` <= 2

-- visible
SELECT
  `state`.`name` AS `name`,
  `state`.`order_id_2` AS `order_id_2`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- merge of inserts in customers
cache table ivm_materialized_change as
SELECT
  `q_2`.`name` AS `name`,
  `q_2`.`order_id_2` AS `order_id_2`,
  `q_2`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `c`.`name` AS `name`,
    `q`.`order_id` AS `order_id_2`,
    COALESCE(SUM(`c`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `customer_id`,
      `name`,
      IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`customers`', 8, 9)
  ) AS `c`
  JOIN (
    SELECT
      `o`.`order_id` AS `order_id`,
      `o`.`amount` AS `amount`,
      `o`.`customer_id` AS `o_customer_id`,
      row_number() OVER (PARTITION BY `o`.`customer_id` ORDER BY `o`.`amount` DESC, `o`.`order_id`) AS `__ivm_lateral_place_0`
    FROM `shop`.`orders` VERSION AS OF 9 AS `o`
  ) AS `q`
    ON `q`.`o_customer_id` = `c`.`customer_id`
  WHERE
    `q`.`__ivm_lateral_place_0` <= 2
  GROUP BY
    `c`.`name`,
    `q`.`order_id`
) AS `q_2`
WHERE
  `q_2`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`name` AS `name`,
  `q_3`.`order_id_2` AS `order_id_2`,
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
    `q_2`.`order_id_2` AS `order_id_2`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`name` AS `name`,
      `ivm_materialized_change`.`order_id_2` AS `order_id_2`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`name` AS `name`,
      `state`.`order_id_2` AS `order_id_2`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`name` AS `__ivm_lost_name`,
        `ivm_materialized_change`.`order_id_2` AS `__ivm_lost_order_id_2`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`name` IS NOT DISTINCT FROM `q`.`__ivm_lost_name`
      AND `state`.`order_id_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_order_id_2`
  ) AS `q_2`
  GROUP BY
    `q_2`.`name`,
    `q_2`.`order_id_2`
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
on `s`.`__ivm_gone` AND (`t`.`name` IS NOT DISTINCT FROM `s`.`name` AND `t`.`order_id_2` IS NOT DISTINCT FROM `s`.`order_id_2`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`name`, `order_id_2`, `__ivm_count`) values (
  `s`.`name`,
  `s`.`order_id_2`,
  `s`.`__ivm_count`
)

-- merge of inserts in orders
cache table ivm_materialized_1 as
SELECT
  `o`.`order_id` AS `order_id`,
  `o`.`amount` AS `amount`,
  `o`.`customer_id` AS `o_customer_id`,
  `o`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `order_id`,
    `customer_id`,
    `amount`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `o`;

cache table ivm_materialized_change as
SELECT
  `q_6`.`name` AS `name`,
  `q_6`.`order_id_2` AS `order_id_2`,
  `q_6`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `c`.`name` AS `name`,
    `q_5`.`order_id` AS `order_id_2`,
    COALESCE(SUM(`q_5`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `q_4`.`order_id` AS `order_id`,
      `q_4`.`amount` AS `amount`,
      `q_4`.`o_customer_id` AS `o_customer_id`,
      row_number() OVER (
        PARTITION BY `q_4`.`o_customer_id`, `q_4`.`__ivm_side`
        ORDER BY `q_4`.`amount` DESC, `q_4`.`order_id`
      ) AS `__ivm_lateral_place_0`,
      `q_4`.`__ivm_side` AS `__ivm_weight`
    FROM (
      SELECT
        `q_3`.`order_id` AS `order_id`,
        `q_3`.`amount` AS `amount`,
        `q_3`.`o_customer_id` AS `o_customer_id`,
        `q_3`.`__ivm_side` AS `__ivm_side`,
        `q_3`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q_2`.`order_id` AS `order_id`,
          `q_2`.`amount` AS `amount`,
          `q_2`.`o_customer_id` AS `o_customer_id`,
          `q_2`.`__ivm_side` AS `__ivm_side`,
          SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `o`.`order_id` AS `order_id`,
            `o`.`amount` AS `amount`,
            `o`.`customer_id` AS `o_customer_id`,
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
            `ivm_materialized_1`.`order_id` AS `order_id`,
            `ivm_materialized_1`.`amount` AS `amount`,
            `ivm_materialized_1`.`o_customer_id` AS `o_customer_id`,
            -1 AS `__ivm_side`,
            -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
          FROM ivm_materialized_1 AS `ivm_materialized_1`
        ) AS `q_2`
        GROUP BY
          `q_2`.`order_id`,
          `q_2`.`amount`,
          `q_2`.`o_customer_id`,
          `q_2`.`__ivm_side`
      ) AS `q_3`
      WHERE
        `q_3`.`__ivm_times` > 0
    ) AS `q_4`
    LATERAL VIEW
    EXPLODE(array_repeat(0, CAST(`q_4`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`
  ) AS `q_5`
  JOIN `shop`.`customers` VERSION AS OF 9 AS `c`
    ON `q_5`.`o_customer_id` = `c`.`customer_id`
  WHERE
    `q_5`.`__ivm_lateral_place_0` <= 2
  GROUP BY
    `c`.`name`,
    `q_5`.`order_id`
) AS `q_6`
WHERE
  `q_6`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`name` AS `name`,
  `q_3`.`order_id_2` AS `order_id_2`,
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
    `q_2`.`order_id_2` AS `order_id_2`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`name` AS `name`,
      `ivm_materialized_change`.`order_id_2` AS `order_id_2`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`name` AS `name`,
      `state`.`order_id_2` AS `order_id_2`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`name` AS `__ivm_lost_name`,
        `ivm_materialized_change`.`order_id_2` AS `__ivm_lost_order_id_2`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`name` IS NOT DISTINCT FROM `q`.`__ivm_lost_name`
      AND `state`.`order_id_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_order_id_2`
  ) AS `q_2`
  GROUP BY
    `q_2`.`name`,
    `q_2`.`order_id_2`
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
on `s`.`__ivm_gone` AND (`t`.`name` IS NOT DISTINCT FROM `s`.`name` AND `t`.`order_id_2` IS NOT DISTINCT FROM `s`.`order_id_2`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`name`, `order_id_2`, `__ivm_count`) values (
  `s`.`name`,
  `s`.`order_id_2`,
  `s`.`__ivm_count`
)

-- merge of changes in orders
cache table ivm_materialized_1 as
SELECT
  `o`.`order_id` AS `order_id`,
  `o`.`amount` AS `amount`,
  `o`.`customer_id` AS `o_customer_id`,
  `o`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `order_id`,
    `customer_id`,
    `amount`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `o`;

cache table ivm_materialized_change as
SELECT
  `q_6`.`name` AS `name`,
  `q_6`.`order_id_2` AS `order_id_2`,
  `q_6`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `c`.`name` AS `name`,
    `q_5`.`order_id` AS `order_id_2`,
    COALESCE(SUM(`q_5`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `q_4`.`order_id` AS `order_id`,
      `q_4`.`amount` AS `amount`,
      `q_4`.`o_customer_id` AS `o_customer_id`,
      row_number() OVER (
        PARTITION BY `q_4`.`o_customer_id`, `q_4`.`__ivm_side`
        ORDER BY `q_4`.`amount` DESC, `q_4`.`order_id`
      ) AS `__ivm_lateral_place_0`,
      `q_4`.`__ivm_side` AS `__ivm_weight`
    FROM (
      SELECT
        `q_3`.`order_id` AS `order_id`,
        `q_3`.`amount` AS `amount`,
        `q_3`.`o_customer_id` AS `o_customer_id`,
        `q_3`.`__ivm_side` AS `__ivm_side`,
        `q_3`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q_2`.`order_id` AS `order_id`,
          `q_2`.`amount` AS `amount`,
          `q_2`.`o_customer_id` AS `o_customer_id`,
          `q_2`.`__ivm_side` AS `__ivm_side`,
          SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `o`.`order_id` AS `order_id`,
            `o`.`amount` AS `amount`,
            `o`.`customer_id` AS `o_customer_id`,
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
            `ivm_materialized_1`.`order_id` AS `order_id`,
            `ivm_materialized_1`.`amount` AS `amount`,
            `ivm_materialized_1`.`o_customer_id` AS `o_customer_id`,
            -1 AS `__ivm_side`,
            -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
          FROM ivm_materialized_1 AS `ivm_materialized_1`
        ) AS `q_2`
        GROUP BY
          `q_2`.`order_id`,
          `q_2`.`amount`,
          `q_2`.`o_customer_id`,
          `q_2`.`__ivm_side`
      ) AS `q_3`
      WHERE
        `q_3`.`__ivm_times` > 0
    ) AS `q_4`
    LATERAL VIEW
    EXPLODE(array_repeat(0, CAST(`q_4`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`
  ) AS `q_5`
  JOIN `shop`.`customers` VERSION AS OF 9 AS `c`
    ON `q_5`.`o_customer_id` = `c`.`customer_id`
  WHERE
    `q_5`.`__ivm_lateral_place_0` <= 2
  GROUP BY
    `c`.`name`,
    `q_5`.`order_id`
) AS `q_6`
WHERE
  `q_6`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`name` AS `name`,
  `q_3`.`order_id_2` AS `order_id_2`,
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
    `q_2`.`order_id_2` AS `order_id_2`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`name` AS `name`,
      `ivm_materialized_change`.`order_id_2` AS `order_id_2`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`name` AS `name`,
      `state`.`order_id_2` AS `order_id_2`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`name` AS `__ivm_lost_name`,
        `ivm_materialized_change`.`order_id_2` AS `__ivm_lost_order_id_2`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`name` IS NOT DISTINCT FROM `q`.`__ivm_lost_name`
      AND `state`.`order_id_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_order_id_2`
  ) AS `q_2`
  GROUP BY
    `q_2`.`name`,
    `q_2`.`order_id_2`
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
on `s`.`__ivm_gone` AND (`t`.`name` IS NOT DISTINCT FROM `s`.`name` AND `t`.`order_id_2` IS NOT DISTINCT FROM `s`.`order_id_2`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`name`, `order_id_2`, `__ivm_count`) values (
  `s`.`name`,
  `s`.`order_id_2`,
  `s`.`__ivm_count`
)
