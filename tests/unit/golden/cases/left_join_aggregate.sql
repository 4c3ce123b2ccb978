-- view
select c.customer_id, count(o.order_id) as orders from shop.customers c left join shop.orders o using (customer_id) group by 1

-- types
--orders bigint

-- state
SELECT
  `q`.`customer_id` AS `customer_id`,
  `q`.`orders` AS `orders`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `c`.`customer_id` AS `customer_id`,
    COUNT(`o`.`order_id`) AS `orders`,
    COUNT(*) AS `__ivm_count`
  FROM `shop`.`customers` VERSION AS OF 9 AS `c`
  LEFT JOIN `shop`.`orders` VERSION AS OF 9 AS `o`
    ON `c`.`customer_id` = `o`.`customer_id`
  GROUP BY
    `c`.`customer_id`
) AS `q`

-- visible
SELECT
  `state`.`customer_id` AS `customer_id_2`,
  `state`.`orders` AS `orders_2`
FROM `shop`.`v__ivm` AS `state`

-- merge of inserts in customers
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_15`.`c_customer_id` AS `customer_id`,
  COALESCE(
    SUM(CASE WHEN NOT `q_15`.`o_order_id` IS NULL THEN `q_15`.`__ivm_weight` ELSE 0 END),
    0
  ) AS `orders`,
  COALESCE(SUM(`q_15`.`__ivm_weight`), 0) AS `__ivm_count`
FROM (
  SELECT
    `c`.`customer_id` AS `c_customer_id`,
    `q_5`.`o_order_id` AS `o_order_id`,
    `q_5`.`o_customer_id` AS `o_customer_id`,
    1 AS `__ivm_weight`
  FROM `shop`.`customers` VERSION AS OF 9 AS `c`
  LEFT SEMI JOIN (
    SELECT DISTINCT
      `q`.`__ivm_touched_0` AS `__ivm_touched_0`
    FROM (
      SELECT
        `c`.`customer_id` AS `__ivm_touched_0`
      FROM table_changes('`shop`.`customers`', 8, 9) AS `c`
      UNION ALL
      SELECT
        `o`.`customer_id` AS `__ivm_touched_0`
      FROM `shop`.`orders` VERSION AS OF 9 AS `o`
      WHERE
        FALSE
    ) AS `q`
  ) AS `q_2`
    ON `c`.`customer_id` IS NOT DISTINCT FROM `q_2`.`__ivm_touched_0`
  LEFT JOIN (
    SELECT
      `o`.`order_id` AS `o_order_id`,
      `o`.`customer_id` AS `o_customer_id`
    FROM `shop`.`orders` VERSION AS OF 9 AS `o`
    LEFT SEMI JOIN (
      SELECT DISTINCT
        `q_3`.`__ivm_touched_0` AS `__ivm_touched_0`
      FROM (
        SELECT
          `c`.`customer_id` AS `__ivm_touched_0`
        FROM table_changes('`shop`.`customers`', 8, 9) AS `c`
        UNION ALL
        SELECT
          `o`.`customer_id` AS `__ivm_touched_0`
        FROM `shop`.`orders` VERSION AS OF 9 AS `o`
        WHERE
          FALSE
      ) AS `q_3`
    ) AS `q_4`
      ON `o`.`customer_id` IS NOT DISTINCT FROM `q_4`.`__ivm_touched_0`
  ) AS `q_5`
    ON `c`.`customer_id` = `q_5`.`o_customer_id`
  UNION ALL
  SELECT
    `q_13`.`c_customer_id` AS `c_customer_id`,
    `q_14`.`o_order_id` AS `o_order_id`,
    `q_14`.`o_customer_id` AS `o_customer_id`,
    -1 AS `__ivm_weight`
  FROM (
    SELECT
      `q_10`.`c_customer_id` AS `c_customer_id`
    FROM (
      SELECT
        `q_9`.`c_customer_id` AS `c_customer_id`,
        `q_9`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q_8`.`c_customer_id` AS `c_customer_id`,
          SUM(`q_8`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `c`.`customer_id` AS `c_customer_id`,
            1 AS `__ivm_weight`
          FROM `shop`.`customers` VERSION AS OF 9 AS `c`
          LEFT SEMI JOIN (
            SELECT DISTINCT
              `q_6`.`__ivm_touched_0` AS `__ivm_touched_0`
            FROM (
              SELECT
                `c`.`customer_id` AS `__ivm_touched_0`
              FROM table_changes('`shop`.`customers`', 8, 9) AS `c`
              UNION ALL
              SELECT
                `o`.`customer_id` AS `__ivm_touched_0`
              FROM `shop`.`orders` VERSION AS OF 9 AS `o`
              WHERE
                FALSE
            ) AS `q_6`
          ) AS `q_7`
            ON `c`.`customer_id` IS NOT DISTINCT FROM `q_7`.`__ivm_touched_0`
          UNION ALL
          SELECT
            `c`.`customer_id` AS `c_customer_id`,
            -IF(`c`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
          FROM table_changes('`shop`.`customers`', 8, 9) AS `c`
        ) AS `q_8`
        GROUP BY
          `q_8`.`c_customer_id`
      ) AS `q_9`
      WHERE
        `q_9`.`__ivm_times` > 0
    ) AS `q_10`
    LATERAL VIEW
    EXPLODE(array_repeat(0, CAST(`q_10`.`__ivm_times` AS INT))) generated AS `__ivm_copy`
  ) AS `q_13`
  LEFT JOIN (
    SELECT
      `o`.`order_id` AS `o_order_id`,
      `o`.`customer_id` AS `o_customer_id`
    FROM `shop`.`orders` VERSION AS OF 9 AS `o`
    LEFT SEMI JOIN (
      SELECT DISTINCT
        `q_11`.`__ivm_touched_0` AS `__ivm_touched_0`
      FROM (
        SELECT
          `c`.`customer_id` AS `__ivm_touched_0`
        FROM table_changes('`shop`.`customers`', 8, 9) AS `c`
        UNION ALL
        SELECT
          `o`.`customer_id` AS `__ivm_touched_0`
        FROM `shop`.`orders` VERSION AS OF 9 AS `o`
        WHERE
          FALSE
      ) AS `q_11`
    ) AS `q_12`
      ON `o`.`customer_id` IS NOT DISTINCT FROM `q_12`.`__ivm_touched_0`
  ) AS `q_14`
    ON `q_13`.`c_customer_id` = `q_14`.`o_customer_id`
) AS `q_15`
GROUP BY
  `q_15`.`c_customer_id`
) as s
on `t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0 OR `s`.`orders` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END,
  `orders` = CASE WHEN `t`.`orders` + `s`.`orders` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`orders` + `s`.`orders` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `orders`, `customer_id`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`orders`,
  `s`.`customer_id`
)

-- merge of inserts in orders
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_14`.`c_customer_id` AS `customer_id`,
  COALESCE(
    SUM(CASE WHEN NOT `q_14`.`o_order_id` IS NULL THEN `q_14`.`__ivm_weight` ELSE 0 END),
    0
  ) AS `orders`,
  COALESCE(SUM(`q_14`.`__ivm_weight`), 0) AS `__ivm_count`
FROM (
  SELECT
    `c`.`customer_id` AS `c_customer_id`,
    `q_5`.`o_order_id` AS `o_order_id`,
    `q_5`.`o_customer_id` AS `o_customer_id`,
    1 AS `__ivm_weight`
  FROM `shop`.`customers` VERSION AS OF 9 AS `c`
  LEFT SEMI JOIN (
    SELECT DISTINCT
      `q`.`__ivm_touched_0` AS `__ivm_touched_0`
    FROM (
      SELECT
        `c`.`customer_id` AS `__ivm_touched_0`
      FROM `shop`.`customers` VERSION AS OF 9 AS `c`
      WHERE
        FALSE
      UNION ALL
      SELECT
        `o`.`customer_id` AS `__ivm_touched_0`
      FROM table_changes('`shop`.`orders`', 8, 9) AS `o`
    ) AS `q`
  ) AS `q_2`
    ON `c`.`customer_id` IS NOT DISTINCT FROM `q_2`.`__ivm_touched_0`
  LEFT JOIN (
    SELECT
      `o`.`order_id` AS `o_order_id`,
      `o`.`customer_id` AS `o_customer_id`
    FROM `shop`.`orders` VERSION AS OF 9 AS `o`
    LEFT SEMI JOIN (
      SELECT DISTINCT
        `q_3`.`__ivm_touched_0` AS `__ivm_touched_0`
      FROM (
        SELECT
          `c`.`customer_id` AS `__ivm_touched_0`
        FROM `shop`.`customers` VERSION AS OF 9 AS `c`
        WHERE
          FALSE
        UNION ALL
        SELECT
          `o`.`customer_id` AS `__ivm_touched_0`
        FROM table_changes('`shop`.`orders`', 8, 9) AS `o`
      ) AS `q_3`
    ) AS `q_4`
      ON `o`.`customer_id` IS NOT DISTINCT FROM `q_4`.`__ivm_touched_0`
  ) AS `q_5`
    ON `c`.`customer_id` = `q_5`.`o_customer_id`
  UNION ALL
  SELECT
    `c`.`customer_id` AS `c_customer_id`,
    `q_13`.`o_order_id` AS `o_order_id`,
    `q_13`.`o_customer_id` AS `o_customer_id`,
    -1 AS `__ivm_weight`
  FROM `shop`.`customers` VERSION AS OF 9 AS `c`
  LEFT SEMI JOIN (
    SELECT DISTINCT
      `q_6`.`__ivm_touched_0` AS `__ivm_touched_0`
    FROM (
      SELECT
        `c`.`customer_id` AS `__ivm_touched_0`
      FROM `shop`.`customers` VERSION AS OF 9 AS `c`
      WHERE
        FALSE
      UNION ALL
      SELECT
        `o`.`customer_id` AS `__ivm_touched_0`
      FROM table_changes('`shop`.`orders`', 8, 9) AS `o`
    ) AS `q_6`
  ) AS `q_7`
    ON `c`.`customer_id` IS NOT DISTINCT FROM `q_7`.`__ivm_touched_0`
  LEFT JOIN (
    SELECT
      `q_12`.`o_order_id` AS `o_order_id`,
      `q_12`.`o_customer_id` AS `o_customer_id`
    FROM (
      SELECT
        `q_11`.`o_order_id` AS `o_order_id`,
        `q_11`.`o_customer_id` AS `o_customer_id`,
        `q_11`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q_10`.`o_order_id` AS `o_order_id`,
          `q_10`.`o_customer_id` AS `o_customer_id`,
          SUM(`q_10`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `o`.`order_id` AS `o_order_id`,
            `o`.`customer_id` AS `o_customer_id`,
            1 AS `__ivm_weight`
          FROM `shop`.`orders` VERSION AS OF 9 AS `o`
          LEFT SEMI JOIN (
            SELECT DISTINCT
              `q_8`.`__ivm_touched_0` AS `__ivm_touched_0`
            FROM (
              SELECT
                `c`.`customer_id` AS `__ivm_touched_0`
              FROM `shop`.`customers` VERSION AS OF 9 AS `c`
              WHERE
                FALSE
              UNION ALL
              SELECT
                `o`.`customer_id` AS `__ivm_touched_0`
              FROM table_changes('`shop`.`orders`', 8, 9) AS `o`
            ) AS `q_8`
          ) AS `q_9`
            ON `o`.`customer_id` IS NOT DISTINCT FROM `q_9`.`__ivm_touched_0`
          UNION ALL
          SELECT
            `o`.`order_id` AS `o_order_id`,
            `o`.`customer_id` AS `o_customer_id`,
            -IF(`o`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
          FROM table_changes('`shop`.`orders`', 8, 9) AS `o`
        ) AS `q_10`
        GROUP BY
          `q_10`.`o_order_id`,
          `q_10`.`o_customer_id`
      ) AS `q_11`
      WHERE
        `q_11`.`__ivm_times` > 0
    ) AS `q_12`
    LATERAL VIEW
    EXPLODE(array_repeat(0, CAST(`q_12`.`__ivm_times` AS INT))) generated AS `__ivm_copy`
  ) AS `q_13`
    ON `c`.`customer_id` = `q_13`.`o_customer_id`
) AS `q_14`
GROUP BY
  `q_14`.`c_customer_id`
) as s
on `t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0 OR `s`.`orders` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END,
  `orders` = CASE WHEN `t`.`orders` + `s`.`orders` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`orders` + `s`.`orders` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `orders`, `customer_id`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`orders`,
  `s`.`customer_id`
)

-- merge of changes in orders
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_14`.`c_customer_id` AS `customer_id`,
  COALESCE(
    SUM(CASE WHEN NOT `q_14`.`o_order_id` IS NULL THEN `q_14`.`__ivm_weight` ELSE 0 END),
    0
  ) AS `orders`,
  COALESCE(SUM(`q_14`.`__ivm_weight`), 0) AS `__ivm_count`
FROM (
  SELECT
    `c`.`customer_id` AS `c_customer_id`,
    `q_5`.`o_order_id` AS `o_order_id`,
    `q_5`.`o_customer_id` AS `o_customer_id`,
    1 AS `__ivm_weight`
  FROM `shop`.`customers` VERSION AS OF 9 AS `c`
  LEFT SEMI JOIN (
    SELECT DISTINCT
      `q`.`__ivm_touched_0` AS `__ivm_touched_0`
    FROM (
      SELECT
        `c`.`customer_id` AS `__ivm_touched_0`
      FROM `shop`.`customers` VERSION AS OF 9 AS `c`
      WHERE
        FALSE
      UNION ALL
      SELECT
        `o`.`customer_id` AS `__ivm_touched_0`
      FROM table_changes('`shop`.`orders`', 8, 9) AS `o`
    ) AS `q`
  ) AS `q_2`
    ON `c`.`customer_id` IS NOT DISTINCT FROM `q_2`.`__ivm_touched_0`
  LEFT JOIN (
    SELECT
      `o`.`order_id` AS `o_order_id`,
      `o`.`customer_id` AS `o_customer_id`
    FROM `shop`.`orders` VERSION AS OF 9 AS `o`
    LEFT SEMI JOIN (
      SELECT DISTINCT
        `q_3`.`__ivm_touched_0` AS `__ivm_touched_0`
      FROM (
        SELECT
          `c`.`customer_id` AS `__ivm_touched_0`
        FROM `shop`.`customers` VERSION AS OF 9 AS `c`
        WHERE
          FALSE
        UNION ALL
        SELECT
          `o`.`customer_id` AS `__ivm_touched_0`
        FROM table_changes('`shop`.`orders`', 8, 9) AS `o`
      ) AS `q_3`
    ) AS `q_4`
      ON `o`.`customer_id` IS NOT DISTINCT FROM `q_4`.`__ivm_touched_0`
  ) AS `q_5`
    ON `c`.`customer_id` = `q_5`.`o_customer_id`
  UNION ALL
  SELECT
    `c`.`customer_id` AS `c_customer_id`,
    `q_13`.`o_order_id` AS `o_order_id`,
    `q_13`.`o_customer_id` AS `o_customer_id`,
    -1 AS `__ivm_weight`
  FROM `shop`.`customers` VERSION AS OF 9 AS `c`
  LEFT SEMI JOIN (
    SELECT DISTINCT
      `q_6`.`__ivm_touched_0` AS `__ivm_touched_0`
    FROM (
      SELECT
        `c`.`customer_id` AS `__ivm_touched_0`
      FROM `shop`.`customers` VERSION AS OF 9 AS `c`
      WHERE
        FALSE
      UNION ALL
      SELECT
        `o`.`customer_id` AS `__ivm_touched_0`
      FROM table_changes('`shop`.`orders`', 8, 9) AS `o`
    ) AS `q_6`
  ) AS `q_7`
    ON `c`.`customer_id` IS NOT DISTINCT FROM `q_7`.`__ivm_touched_0`
  LEFT JOIN (
    SELECT
      `q_12`.`o_order_id` AS `o_order_id`,
      `q_12`.`o_customer_id` AS `o_customer_id`
    FROM (
      SELECT
        `q_11`.`o_order_id` AS `o_order_id`,
        `q_11`.`o_customer_id` AS `o_customer_id`,
        `q_11`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q_10`.`o_order_id` AS `o_order_id`,
          `q_10`.`o_customer_id` AS `o_customer_id`,
          SUM(`q_10`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `o`.`order_id` AS `o_order_id`,
            `o`.`customer_id` AS `o_customer_id`,
            1 AS `__ivm_weight`
          FROM `shop`.`orders` VERSION AS OF 9 AS `o`
          LEFT SEMI JOIN (
            SELECT DISTINCT
              `q_8`.`__ivm_touched_0` AS `__ivm_touched_0`
            FROM (
              SELECT
                `c`.`customer_id` AS `__ivm_touched_0`
              FROM `shop`.`customers` VERSION AS OF 9 AS `c`
              WHERE
                FALSE
              UNION ALL
              SELECT
                `o`.`customer_id` AS `__ivm_touched_0`
              FROM table_changes('`shop`.`orders`', 8, 9) AS `o`
            ) AS `q_8`
          ) AS `q_9`
            ON `o`.`customer_id` IS NOT DISTINCT FROM `q_9`.`__ivm_touched_0`
          UNION ALL
          SELECT
            `o`.`order_id` AS `o_order_id`,
            `o`.`customer_id` AS `o_customer_id`,
            -IF(`o`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
          FROM table_changes('`shop`.`orders`', 8, 9) AS `o`
        ) AS `q_10`
        GROUP BY
          `q_10`.`o_order_id`,
          `q_10`.`o_customer_id`
      ) AS `q_11`
      WHERE
        `q_11`.`__ivm_times` > 0
    ) AS `q_12`
    LATERAL VIEW
    EXPLODE(array_repeat(0, CAST(`q_12`.`__ivm_times` AS INT))) generated AS `__ivm_copy`
  ) AS `q_13`
    ON `c`.`customer_id` = `q_13`.`o_customer_id`
) AS `q_14`
GROUP BY
  `q_14`.`c_customer_id`
) as s
on `t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0 OR `s`.`orders` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END,
  `orders` = CASE WHEN `t`.`orders` + `s`.`orders` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`orders` + `s`.`orders` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `orders`, `customer_id`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`orders`,
  `s`.`customer_id`
)
