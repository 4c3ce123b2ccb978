-- view
select c.customer_id from shop.customers c where not exists (select 1 from shop.orders o where o.customer_id = c.customer_id)

-- state
SELECT
  `c`.`customer_id` AS `customer_id`,
  CAST(1 AS BIGINT) AS `__ivm_count`
FROM `shop`.`customers` VERSION AS OF 9 AS `c`
LEFT ANTI JOIN (
  SELECT
    `o`.`customer_id` AS `o_customer_id`
  FROM `shop`.`orders` VERSION AS OF 9 AS `o`
) AS `q`
  ON `q`.`o_customer_id` = `c`.`customer_id`

-- visible
SELECT
  `state`.`customer_id` AS `customer_id`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- merge of inserts in customers
cache table ivm_materialized_change as
SELECT
  `q_2`.`customer_id` AS `customer_id`,
  `q_2`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `c`.`customer_id` AS `customer_id`,
    COALESCE(SUM(`c`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `customer_id`,
      IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`customers`', 8, 9)
  ) AS `c`
  LEFT ANTI JOIN (
    SELECT
      `o`.`customer_id` AS `o_customer_id`
    FROM `shop`.`orders` VERSION AS OF 9 AS `o`
  ) AS `q`
    ON `q`.`o_customer_id` = `c`.`customer_id`
  GROUP BY
    `c`.`customer_id`
) AS `q_2`
WHERE
  `q_2`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`customer_id` AS `customer_id`,
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
    `q_2`.`customer_id` AS `customer_id`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`customer_id` AS `customer_id`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`customer_id` AS `customer_id`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`customer_id` AS `__ivm_lost_customer_id`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_lost_customer_id`
  ) AS `q_2`
  GROUP BY
    `q_2`.`customer_id`
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
on `s`.`__ivm_gone` AND `t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id`
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`customer_id`, `__ivm_count`) values (
  `s`.`customer_id`,
  `s`.`__ivm_count`
)

-- merge of inserts in orders
cache table ivm_materialized_1 as
SELECT
  `o`.`customer_id` AS `o_customer_id`,
  `o`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `customer_id`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `o`;

cache table ivm_materialized_change as
SELECT
  `q_7`.`customer_id` AS `customer_id`,
  `q_7`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q_2`.`c_customer_id` AS `customer_id`,
    COALESCE(SUM(`q_2`.`__ivm_weight` * `q_2`.`__ivm_kept_side`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `c`.`customer_id` AS `c_customer_id`,
      `generated`.`__ivm_kept_side` AS `__ivm_kept_side`,
      1 AS `__ivm_weight`
    FROM `shop`.`customers` VERSION AS OF 9 AS `c`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_1`.`o_customer_id` AS `o_customer_id`
      FROM ivm_materialized_1 AS `ivm_materialized_1`
    ) AS `q`
      ON `q`.`o_customer_id` = `c`.`customer_id`
    LATERAL VIEW
    EXPLODE(array(1, -1)) generated AS `__ivm_kept_side`
  ) AS `q_2`
  LEFT ANTI JOIN (
    SELECT
      `q_5`.`o_customer_id` AS `o_customer_id`,
      `q_5`.`__ivm_side` AS `__ivm_side`
    FROM (
      SELECT
        `q_4`.`o_customer_id` AS `o_customer_id`,
        `q_4`.`__ivm_side` AS `__ivm_side`,
        SUM(`q_4`.`__ivm_weight`) AS `__ivm_times`
      FROM (
        SELECT
          `o`.`customer_id` AS `o_customer_id`,
          `generated_2`.`__ivm_side` AS `__ivm_side`,
          1 AS `__ivm_weight`
        FROM `shop`.`orders` VERSION AS OF 9 AS `o`
        LEFT SEMI JOIN (
          SELECT DISTINCT
            `ivm_materialized_1`.`o_customer_id` AS `__ivm_touched_0`
          FROM ivm_materialized_1 AS `ivm_materialized_1`
        ) AS `q_3`
          ON `o`.`customer_id` IS NOT DISTINCT FROM `q_3`.`__ivm_touched_0`
        LATERAL VIEW
        EXPLODE(array(1, -1)) generated_2 AS `__ivm_side`
        UNION ALL
        SELECT
          `ivm_materialized_1`.`o_customer_id` AS `o_customer_id`,
          -1 AS `__ivm_side`,
          -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
        FROM ivm_materialized_1 AS `ivm_materialized_1`
      ) AS `q_4`
      GROUP BY
        `q_4`.`o_customer_id`,
        `q_4`.`__ivm_side`
    ) AS `q_5`
    WHERE
      `q_5`.`__ivm_times` > 0
  ) AS `q_6`
    ON `q_6`.`o_customer_id` = `q_2`.`c_customer_id`
    AND `q_2`.`__ivm_kept_side` = `q_6`.`__ivm_side`
  GROUP BY
    `q_2`.`c_customer_id`
) AS `q_7`
WHERE
  `q_7`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`customer_id` AS `customer_id`,
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
    `q_2`.`customer_id` AS `customer_id`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`customer_id` AS `customer_id`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`customer_id` AS `customer_id`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`customer_id` AS `__ivm_lost_customer_id`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_lost_customer_id`
  ) AS `q_2`
  GROUP BY
    `q_2`.`customer_id`
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
on `s`.`__ivm_gone` AND `t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id`
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`customer_id`, `__ivm_count`) values (
  `s`.`customer_id`,
  `s`.`__ivm_count`
)

-- merge of changes in orders
cache table ivm_materialized_1 as
SELECT
  `o`.`customer_id` AS `o_customer_id`,
  `o`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `customer_id`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `o`;

cache table ivm_materialized_change as
SELECT
  `q_7`.`customer_id` AS `customer_id`,
  `q_7`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q_2`.`c_customer_id` AS `customer_id`,
    COALESCE(SUM(`q_2`.`__ivm_weight` * `q_2`.`__ivm_kept_side`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `c`.`customer_id` AS `c_customer_id`,
      `generated`.`__ivm_kept_side` AS `__ivm_kept_side`,
      1 AS `__ivm_weight`
    FROM `shop`.`customers` VERSION AS OF 9 AS `c`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_1`.`o_customer_id` AS `o_customer_id`
      FROM ivm_materialized_1 AS `ivm_materialized_1`
    ) AS `q`
      ON `q`.`o_customer_id` = `c`.`customer_id`
    LATERAL VIEW
    EXPLODE(array(1, -1)) generated AS `__ivm_kept_side`
  ) AS `q_2`
  LEFT ANTI JOIN (
    SELECT
      `q_5`.`o_customer_id` AS `o_customer_id`,
      `q_5`.`__ivm_side` AS `__ivm_side`
    FROM (
      SELECT
        `q_4`.`o_customer_id` AS `o_customer_id`,
        `q_4`.`__ivm_side` AS `__ivm_side`,
        SUM(`q_4`.`__ivm_weight`) AS `__ivm_times`
      FROM (
        SELECT
          `o`.`customer_id` AS `o_customer_id`,
          `generated_2`.`__ivm_side` AS `__ivm_side`,
          1 AS `__ivm_weight`
        FROM `shop`.`orders` VERSION AS OF 9 AS `o`
        LEFT SEMI JOIN (
          SELECT DISTINCT
            `ivm_materialized_1`.`o_customer_id` AS `__ivm_touched_0`
          FROM ivm_materialized_1 AS `ivm_materialized_1`
        ) AS `q_3`
          ON `o`.`customer_id` IS NOT DISTINCT FROM `q_3`.`__ivm_touched_0`
        LATERAL VIEW
        EXPLODE(array(1, -1)) generated_2 AS `__ivm_side`
        UNION ALL
        SELECT
          `ivm_materialized_1`.`o_customer_id` AS `o_customer_id`,
          -1 AS `__ivm_side`,
          -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
        FROM ivm_materialized_1 AS `ivm_materialized_1`
      ) AS `q_4`
      GROUP BY
        `q_4`.`o_customer_id`,
        `q_4`.`__ivm_side`
    ) AS `q_5`
    WHERE
      `q_5`.`__ivm_times` > 0
  ) AS `q_6`
    ON `q_6`.`o_customer_id` = `q_2`.`c_customer_id`
    AND `q_2`.`__ivm_kept_side` = `q_6`.`__ivm_side`
  GROUP BY
    `q_2`.`c_customer_id`
) AS `q_7`
WHERE
  `q_7`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`customer_id` AS `customer_id`,
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
    `q_2`.`customer_id` AS `customer_id`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`customer_id` AS `customer_id`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`customer_id` AS `customer_id`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`customer_id` AS `__ivm_lost_customer_id`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_lost_customer_id`
  ) AS `q_2`
  GROUP BY
    `q_2`.`customer_id`
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
on `s`.`__ivm_gone` AND `t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id`
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`customer_id`, `__ivm_count`) values (
  `s`.`customer_id`,
  `s`.`__ivm_count`
)
