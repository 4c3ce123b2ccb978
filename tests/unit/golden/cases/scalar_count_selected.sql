-- view
select c.customer_id, (select count(*) from shop.orders o where o.customer_id = c.customer_id) as n from shop.customers c

-- types
--n bigint

-- state
SELECT
  `c`.`customer_id` AS `customer_id`,
  COALESCE(`q`.`col_0`, 0) AS `n`,
  CAST(1 AS BIGINT) AS `__ivm_count`
FROM `shop`.`customers` VERSION AS OF 9 AS `c`
LEFT JOIN (
  SELECT
    `o`.`customer_id` AS `o_customer_id`,
    count(1) AS `col_0`
  FROM `shop`.`orders` VERSION AS OF 9 AS `o`
  GROUP BY
    `o`.`customer_id`
) AS `q`
  ON `q`.`o_customer_id` = `c`.`customer_id`

-- visible
SELECT
  `state`.`customer_id` AS `customer_id`,
  `state`.`n` AS `n`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- merge of inserts in customers
cache table ivm_materialized_change as
SELECT
  `q_2`.`customer_id` AS `customer_id`,
  `q_2`.`n` AS `n`,
  `q_2`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `c`.`customer_id` AS `customer_id`,
    COALESCE(`q`.`col_0`, 0) AS `n`,
    COALESCE(SUM(`c`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `customer_id`,
      IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`customers`', 8, 9)
  ) AS `c`
  LEFT JOIN (
    SELECT
      `o`.`customer_id` AS `o_customer_id`,
      count(1) AS `col_0`
    FROM `shop`.`orders` VERSION AS OF 9 AS `o`
    GROUP BY
      `o`.`customer_id`
  ) AS `q`
    ON `q`.`o_customer_id` = `c`.`customer_id`
  GROUP BY
    `c`.`customer_id`,
    COALESCE(`q`.`col_0`, 0)
) AS `q_2`
WHERE
  `q_2`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`customer_id` AS `customer_id`,
  `q_3`.`n` AS `n`,
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
    `q_2`.`n` AS `n`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`customer_id` AS `customer_id`,
      `ivm_materialized_change`.`n` AS `n`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`customer_id` AS `customer_id`,
      `state`.`n` AS `n`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`customer_id` AS `__ivm_lost_customer_id`,
        `ivm_materialized_change`.`n` AS `__ivm_lost_n`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_lost_customer_id`
      AND `state`.`n` IS NOT DISTINCT FROM `q`.`__ivm_lost_n`
  ) AS `q_2`
  GROUP BY
    `q_2`.`customer_id`,
    `q_2`.`n`
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
on `s`.`__ivm_gone` AND (`t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id` AND `t`.`n` IS NOT DISTINCT FROM `s`.`n`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`customer_id`, `n`, `__ivm_count`) values (
  `s`.`customer_id`,
  `s`.`n`,
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

cache table ivm_materialized_2 as
SELECT
  `q_5`.`o_customer_id` AS `o_customer_id`,
  `q_5`.`col_0` AS `col_0`,
  `q_5`.`__ivm_side` AS `__ivm_weight`
FROM (
  SELECT
    `q_4`.`o_customer_id` AS `o_customer_id`,
    `q_4`.`__ivm_side` AS `__ivm_side`,
    count(1) AS `col_0`
  FROM (
    SELECT
      `q_3`.`o_customer_id` AS `o_customer_id`,
      `q_3`.`__ivm_side` AS `__ivm_side`,
      `q_3`.`__ivm_times` AS `__ivm_times`
    FROM (
      SELECT
        `q_2`.`o_customer_id` AS `o_customer_id`,
        `q_2`.`__ivm_side` AS `__ivm_side`,
        SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
      FROM (
        SELECT
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
          `ivm_materialized_1`.`o_customer_id` AS `o_customer_id`,
          -1 AS `__ivm_side`,
          -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
        FROM ivm_materialized_1 AS `ivm_materialized_1`
      ) AS `q_2`
      GROUP BY
        `q_2`.`o_customer_id`,
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
  `q_9`.`customer_id` AS `customer_id`,
  `q_9`.`n` AS `n`,
  `q_9`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q_7`.`c_customer_id` AS `customer_id`,
    COALESCE(`q_8`.`col_0`, 0) AS `n`,
    COALESCE(SUM(`q_7`.`__ivm_weight` * `q_7`.`__ivm_kept_side`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `c`.`customer_id` AS `c_customer_id`,
      `generated`.`__ivm_kept_side` AS `__ivm_kept_side`,
      1 AS `__ivm_weight`
    FROM `shop`.`customers` VERSION AS OF 9 AS `c`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_2`.`o_customer_id` AS `o_customer_id`,
        `ivm_materialized_2`.`col_0` AS `col_0`
      FROM ivm_materialized_2 AS `ivm_materialized_2`
    ) AS `q`
      ON `q`.`o_customer_id` = `c`.`customer_id`
    LATERAL VIEW
    EXPLODE(array(1, -1)) generated AS `__ivm_kept_side`
  ) AS `q_7`
  LEFT JOIN (
    SELECT
      `q_6`.`o_customer_id` AS `o_customer_id`,
      `q_6`.`col_0` AS `col_0`,
      `q_6`.`__ivm_side` AS `__ivm_side`
    FROM (
      SELECT
        `q_5`.`o_customer_id` AS `o_customer_id`,
        `q_5`.`col_0` AS `col_0`,
        `q_5`.`__ivm_side` AS `__ivm_side`,
        `q_5`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q_4`.`o_customer_id` AS `o_customer_id`,
          `q_4`.`col_0` AS `col_0`,
          `q_4`.`__ivm_side` AS `__ivm_side`,
          SUM(`q_4`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `q_2`.`o_customer_id` AS `o_customer_id`,
            `q_2`.`col_0` AS `col_0`,
            `generated_2`.`__ivm_side` AS `__ivm_side`,
            1 AS `__ivm_weight`
          FROM (
            SELECT
              `o`.`customer_id` AS `o_customer_id`,
              count(1) AS `col_0`
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
            `ivm_materialized_2`.`col_0` AS `col_0`,
            -1 AS `__ivm_side`,
            -`ivm_materialized_2`.`__ivm_weight` AS `__ivm_weight`
          FROM ivm_materialized_2 AS `ivm_materialized_2`
        ) AS `q_4`
        GROUP BY
          `q_4`.`o_customer_id`,
          `q_4`.`col_0`,
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
    `q_7`.`c_customer_id`,
    COALESCE(`q_8`.`col_0`, 0)
) AS `q_9`
WHERE
  `q_9`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`customer_id` AS `customer_id`,
  `q_3`.`n` AS `n`,
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
    `q_2`.`n` AS `n`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`customer_id` AS `customer_id`,
      `ivm_materialized_change`.`n` AS `n`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`customer_id` AS `customer_id`,
      `state`.`n` AS `n`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`customer_id` AS `__ivm_lost_customer_id`,
        `ivm_materialized_change`.`n` AS `__ivm_lost_n`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_lost_customer_id`
      AND `state`.`n` IS NOT DISTINCT FROM `q`.`__ivm_lost_n`
  ) AS `q_2`
  GROUP BY
    `q_2`.`customer_id`,
    `q_2`.`n`
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
on `s`.`__ivm_gone` AND (`t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id` AND `t`.`n` IS NOT DISTINCT FROM `s`.`n`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`customer_id`, `n`, `__ivm_count`) values (
  `s`.`customer_id`,
  `s`.`n`,
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

cache table ivm_materialized_2 as
SELECT
  `q_5`.`o_customer_id` AS `o_customer_id`,
  `q_5`.`col_0` AS `col_0`,
  `q_5`.`__ivm_side` AS `__ivm_weight`
FROM (
  SELECT
    `q_4`.`o_customer_id` AS `o_customer_id`,
    `q_4`.`__ivm_side` AS `__ivm_side`,
    count(1) AS `col_0`
  FROM (
    SELECT
      `q_3`.`o_customer_id` AS `o_customer_id`,
      `q_3`.`__ivm_side` AS `__ivm_side`,
      `q_3`.`__ivm_times` AS `__ivm_times`
    FROM (
      SELECT
        `q_2`.`o_customer_id` AS `o_customer_id`,
        `q_2`.`__ivm_side` AS `__ivm_side`,
        SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
      FROM (
        SELECT
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
          `ivm_materialized_1`.`o_customer_id` AS `o_customer_id`,
          -1 AS `__ivm_side`,
          -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
        FROM ivm_materialized_1 AS `ivm_materialized_1`
      ) AS `q_2`
      GROUP BY
        `q_2`.`o_customer_id`,
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
  `q_9`.`customer_id` AS `customer_id`,
  `q_9`.`n` AS `n`,
  `q_9`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q_7`.`c_customer_id` AS `customer_id`,
    COALESCE(`q_8`.`col_0`, 0) AS `n`,
    COALESCE(SUM(`q_7`.`__ivm_weight` * `q_7`.`__ivm_kept_side`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `c`.`customer_id` AS `c_customer_id`,
      `generated`.`__ivm_kept_side` AS `__ivm_kept_side`,
      1 AS `__ivm_weight`
    FROM `shop`.`customers` VERSION AS OF 9 AS `c`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_2`.`o_customer_id` AS `o_customer_id`,
        `ivm_materialized_2`.`col_0` AS `col_0`
      FROM ivm_materialized_2 AS `ivm_materialized_2`
    ) AS `q`
      ON `q`.`o_customer_id` = `c`.`customer_id`
    LATERAL VIEW
    EXPLODE(array(1, -1)) generated AS `__ivm_kept_side`
  ) AS `q_7`
  LEFT JOIN (
    SELECT
      `q_6`.`o_customer_id` AS `o_customer_id`,
      `q_6`.`col_0` AS `col_0`,
      `q_6`.`__ivm_side` AS `__ivm_side`
    FROM (
      SELECT
        `q_5`.`o_customer_id` AS `o_customer_id`,
        `q_5`.`col_0` AS `col_0`,
        `q_5`.`__ivm_side` AS `__ivm_side`,
        `q_5`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q_4`.`o_customer_id` AS `o_customer_id`,
          `q_4`.`col_0` AS `col_0`,
          `q_4`.`__ivm_side` AS `__ivm_side`,
          SUM(`q_4`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `q_2`.`o_customer_id` AS `o_customer_id`,
            `q_2`.`col_0` AS `col_0`,
            `generated_2`.`__ivm_side` AS `__ivm_side`,
            1 AS `__ivm_weight`
          FROM (
            SELECT
              `o`.`customer_id` AS `o_customer_id`,
              count(1) AS `col_0`
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
            `ivm_materialized_2`.`col_0` AS `col_0`,
            -1 AS `__ivm_side`,
            -`ivm_materialized_2`.`__ivm_weight` AS `__ivm_weight`
          FROM ivm_materialized_2 AS `ivm_materialized_2`
        ) AS `q_4`
        GROUP BY
          `q_4`.`o_customer_id`,
          `q_4`.`col_0`,
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
    `q_7`.`c_customer_id`,
    COALESCE(`q_8`.`col_0`, 0)
) AS `q_9`
WHERE
  `q_9`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`customer_id` AS `customer_id`,
  `q_3`.`n` AS `n`,
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
    `q_2`.`n` AS `n`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`customer_id` AS `customer_id`,
      `ivm_materialized_change`.`n` AS `n`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`customer_id` AS `customer_id`,
      `state`.`n` AS `n`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`customer_id` AS `__ivm_lost_customer_id`,
        `ivm_materialized_change`.`n` AS `__ivm_lost_n`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_lost_customer_id`
      AND `state`.`n` IS NOT DISTINCT FROM `q`.`__ivm_lost_n`
  ) AS `q_2`
  GROUP BY
    `q_2`.`customer_id`,
    `q_2`.`n`
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
on `s`.`__ivm_gone` AND (`t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id` AND `t`.`n` IS NOT DISTINCT FROM `s`.`n`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`customer_id`, `n`, `__ivm_count`) values (
  `s`.`customer_id`,
  `s`.`n`,
  `s`.`__ivm_count`
)
