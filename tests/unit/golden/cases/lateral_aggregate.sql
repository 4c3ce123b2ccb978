-- view
select c.name, l.orders, l.revenue from shop.customers c, lateral (select count(*) as orders, sum(o.amount) as revenue from shop.orders o where o.customer_id = c.customer_id) l

-- types
- orders bigint
- revenue decimal(22,2)

-- state
SELECT
  `q_2`.`name` AS `name`,
  `q_2`.`orders_3` AS `orders_3`,
  `q_2`.`revenue_3` AS `revenue_3`,
  xxhash64(`q_2`.`name`, `q_2`.`orders_3`, `q_2`.`revenue_3`) AS `__ivm_hash`,
  `q_2`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `c`.`name` AS `name`,
    COALESCE(`q`.`orders`, 0) AS `orders_3`,
    `q`.`revenue` AS `revenue_3`,
    COUNT(*) AS `__ivm_count`
  FROM `shop`.`customers` VERSION AS OF 9 AS `c`
  LEFT JOIN (
    SELECT
      `o`.`customer_id` AS `o_customer_id`,
      count(*) AS `orders`,
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

-- visible
SELECT
  `state`.`name` AS `name`,
  `state`.`orders_3` AS `orders_3`,
  `state`.`revenue_3` AS `revenue_3`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- merge of inserts in customers
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_2`.`name` AS `name`,
  `q_2`.`orders_3` AS `orders_3`,
  `q_2`.`revenue_3` AS `revenue_3`,
  `q_2`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q_2`.`name`, `q_2`.`orders_3`, `q_2`.`revenue_3`) AS `__ivm_hash`
FROM (
  SELECT
    `c`.`name` AS `name`,
    COALESCE(`q`.`orders`, 0) AS `orders_3`,
    `q`.`revenue` AS `revenue_3`,
    COALESCE(SUM(IF(`c`.`_change_type` IN ('insert', 'update_postimage'), 1, -1)), 0) AS `__ivm_count`
  FROM table_changes('`shop`.`customers`', 8, 9) AS `c`
  LEFT JOIN (
    SELECT
      `o`.`customer_id` AS `o_customer_id`,
      count(*) AS `orders`,
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
  `q_2`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`name` IS NOT DISTINCT FROM `s`.`name` AND `t`.`orders_3` IS NOT DISTINCT FROM `s`.`orders_3` AND `t`.`revenue_3` IS NOT DISTINCT FROM `s`.`revenue_3`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `name`, `orders_3`, `revenue_3`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`name`,
  `s`.`orders_3`,
  `s`.`revenue_3`,
  `s`.`__ivm_hash`
)

-- merge of inserts in orders
cache table ivm_kept_1 as
SELECT
  `o`.`customer_id` AS `o_customer_id`,
  `o`.`amount` AS `o_amount`,
  IF(`o`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
FROM table_changes('`shop`.`orders`', 8, 9) AS `o`;

cache table ivm_kept_2 as
SELECT
  `q_5`.`o_customer_id` AS `o_customer_id`,
  `q_5`.`orders` AS `orders`,
  `q_5`.`revenue` AS `revenue`,
  `q_5`.`__ivm_side` AS `__ivm_weight`
FROM (
  SELECT
    `q_4`.`o_customer_id` AS `o_customer_id`,
    `q_4`.`__ivm_side` AS `__ivm_side`,
    count(*) AS `orders`,
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
            `ivm_kept_1`.`o_customer_id` AS `__ivm_touched_0`
          FROM ivm_kept_1 AS `ivm_kept_1`
        ) AS `q`
          ON `o`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_touched_0`
        LATERAL VIEW
        EXPLODE(array(1, -1)) generated AS `__ivm_side`
        UNION ALL
        SELECT
          `ivm_kept_1`.`o_customer_id` AS `o_customer_id`,
          `ivm_kept_1`.`o_amount` AS `o_amount`,
          -1 AS `__ivm_side`,
          -`ivm_kept_1`.`__ivm_weight` AS `__ivm_weight`
        FROM ivm_kept_1 AS `ivm_kept_1`
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

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_9`.`name` AS `name`,
  `q_9`.`orders_3` AS `orders_3`,
  `q_9`.`revenue_3` AS `revenue_3`,
  `q_9`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q_9`.`name`, `q_9`.`orders_3`, `q_9`.`revenue_3`) AS `__ivm_hash`
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
        `ivm_kept_2`.`o_customer_id` AS `o_customer_id`,
        `ivm_kept_2`.`orders` AS `orders`,
        `ivm_kept_2`.`revenue` AS `revenue`
      FROM ivm_kept_2 AS `ivm_kept_2`
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
              count(*) AS `orders`,
              sum(`o`.`amount`) AS `revenue`
            FROM `shop`.`orders` VERSION AS OF 9 AS `o`
            GROUP BY
              `o`.`customer_id`
          ) AS `q_2`
          LEFT SEMI JOIN (
            SELECT DISTINCT
              `ivm_kept_2`.`o_customer_id` AS `__ivm_touched_0`
            FROM ivm_kept_2 AS `ivm_kept_2`
          ) AS `q_3`
            ON `q_2`.`o_customer_id` IS NOT DISTINCT FROM `q_3`.`__ivm_touched_0`
          LATERAL VIEW
          EXPLODE(array(1, -1)) generated_2 AS `__ivm_side`
          UNION ALL
          SELECT
            `ivm_kept_2`.`o_customer_id` AS `o_customer_id`,
            `ivm_kept_2`.`orders` AS `orders`,
            `ivm_kept_2`.`revenue` AS `revenue`,
            -1 AS `__ivm_side`,
            -`ivm_kept_2`.`__ivm_weight` AS `__ivm_weight`
          FROM ivm_kept_2 AS `ivm_kept_2`
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
  `q_9`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`name` IS NOT DISTINCT FROM `s`.`name` AND `t`.`orders_3` IS NOT DISTINCT FROM `s`.`orders_3` AND `t`.`revenue_3` IS NOT DISTINCT FROM `s`.`revenue_3`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `name`, `orders_3`, `revenue_3`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`name`,
  `s`.`orders_3`,
  `s`.`revenue_3`,
  `s`.`__ivm_hash`
)

-- merge of changes in orders
cache table ivm_kept_1 as
SELECT
  `o`.`customer_id` AS `o_customer_id`,
  `o`.`amount` AS `o_amount`,
  IF(`o`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
FROM table_changes('`shop`.`orders`', 8, 9) AS `o`;

cache table ivm_kept_2 as
SELECT
  `q_5`.`o_customer_id` AS `o_customer_id`,
  `q_5`.`orders` AS `orders`,
  `q_5`.`revenue` AS `revenue`,
  `q_5`.`__ivm_side` AS `__ivm_weight`
FROM (
  SELECT
    `q_4`.`o_customer_id` AS `o_customer_id`,
    `q_4`.`__ivm_side` AS `__ivm_side`,
    count(*) AS `orders`,
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
            `ivm_kept_1`.`o_customer_id` AS `__ivm_touched_0`
          FROM ivm_kept_1 AS `ivm_kept_1`
        ) AS `q`
          ON `o`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_touched_0`
        LATERAL VIEW
        EXPLODE(array(1, -1)) generated AS `__ivm_side`
        UNION ALL
        SELECT
          `ivm_kept_1`.`o_customer_id` AS `o_customer_id`,
          `ivm_kept_1`.`o_amount` AS `o_amount`,
          -1 AS `__ivm_side`,
          -`ivm_kept_1`.`__ivm_weight` AS `__ivm_weight`
        FROM ivm_kept_1 AS `ivm_kept_1`
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

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_9`.`name` AS `name`,
  `q_9`.`orders_3` AS `orders_3`,
  `q_9`.`revenue_3` AS `revenue_3`,
  `q_9`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q_9`.`name`, `q_9`.`orders_3`, `q_9`.`revenue_3`) AS `__ivm_hash`
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
        `ivm_kept_2`.`o_customer_id` AS `o_customer_id`,
        `ivm_kept_2`.`orders` AS `orders`,
        `ivm_kept_2`.`revenue` AS `revenue`
      FROM ivm_kept_2 AS `ivm_kept_2`
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
              count(*) AS `orders`,
              sum(`o`.`amount`) AS `revenue`
            FROM `shop`.`orders` VERSION AS OF 9 AS `o`
            GROUP BY
              `o`.`customer_id`
          ) AS `q_2`
          LEFT SEMI JOIN (
            SELECT DISTINCT
              `ivm_kept_2`.`o_customer_id` AS `__ivm_touched_0`
            FROM ivm_kept_2 AS `ivm_kept_2`
          ) AS `q_3`
            ON `q_2`.`o_customer_id` IS NOT DISTINCT FROM `q_3`.`__ivm_touched_0`
          LATERAL VIEW
          EXPLODE(array(1, -1)) generated_2 AS `__ivm_side`
          UNION ALL
          SELECT
            `ivm_kept_2`.`o_customer_id` AS `o_customer_id`,
            `ivm_kept_2`.`orders` AS `orders`,
            `ivm_kept_2`.`revenue` AS `revenue`,
            -1 AS `__ivm_side`,
            -`ivm_kept_2`.`__ivm_weight` AS `__ivm_weight`
          FROM ivm_kept_2 AS `ivm_kept_2`
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
  `q_9`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`name` IS NOT DISTINCT FROM `s`.`name` AND `t`.`orders_3` IS NOT DISTINCT FROM `s`.`orders_3` AND `t`.`revenue_3` IS NOT DISTINCT FROM `s`.`revenue_3`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `name`, `orders_3`, `revenue_3`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`name`,
  `s`.`orders_3`,
  `s`.`revenue_3`,
  `s`.`__ivm_hash`
)
