-- view
select c.customer_id from shop.customers c where exists (select 1 from shop.orders o where o.customer_id = c.customer_id group by o.customer_id having sum(o.amount) > 300)

-- state
SELECT
  `q_3`.`customer_id_2` AS `customer_id_2`,
  xxhash64(`q_3`.`customer_id_2`) AS `__ivm_hash`,
  `q_3`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `c`.`customer_id` AS `customer_id_2`,
    COUNT(*) AS `__ivm_count`
  FROM `shop`.`customers` VERSION AS OF 9 AS `c`
  LEFT SEMI JOIN (
    SELECT
      `q`.`customer_id` AS `customer_id`,
      `q`.`sum` AS `sum`
    FROM (
      SELECT
        `o`.`customer_id` AS `customer_id`,
        sum(`o`.`amount`) AS `sum`
      FROM `shop`.`orders` VERSION AS OF 9 AS `o`
      GROUP BY
        `o`.`customer_id`
    ) AS `q`
    WHERE
      `q`.`sum` > 300
  ) AS `q_2`
    ON `q_2`.`customer_id` = `c`.`customer_id`
  GROUP BY
    `c`.`customer_id`
) AS `q_3`

-- visible
SELECT
  `state`.`customer_id_2` AS `customer_id_2`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- merge of inserts in customers
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`customer_id_2` AS `customer_id_2`,
  `q_3`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q_3`.`customer_id_2`) AS `__ivm_hash`
FROM (
  SELECT
    `c`.`customer_id` AS `customer_id_2`,
    COALESCE(SUM(IF(`c`.`_change_type` IN ('insert', 'update_postimage'), 1, -1)), 0) AS `__ivm_count`
  FROM table_changes('`shop`.`customers`', 8, 9) AS `c`
  LEFT SEMI JOIN (
    SELECT
      `q`.`customer_id` AS `customer_id`,
      `q`.`sum` AS `sum`
    FROM (
      SELECT
        `o`.`customer_id` AS `customer_id`,
        sum(`o`.`amount`) AS `sum`
      FROM `shop`.`orders` VERSION AS OF 9 AS `o`
      GROUP BY
        `o`.`customer_id`
    ) AS `q`
    WHERE
      `q`.`sum` > 300
  ) AS `q_2`
    ON `q_2`.`customer_id` = `c`.`customer_id`
  GROUP BY
    `c`.`customer_id`
) AS `q_3`
WHERE
  `q_3`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`customer_id_2` IS NOT DISTINCT FROM `s`.`customer_id_2`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `customer_id_2`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`customer_id_2`,
  `s`.`__ivm_hash`
)

-- merge of inserts in orders
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_24`.`customer_id_2` AS `customer_id_2`,
  `q_24`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q_24`.`customer_id_2`) AS `__ivm_hash`
FROM (
  SELECT
    `q_7`.`c_customer_id` AS `customer_id_2`,
    COALESCE(SUM(`q_7`.`__ivm_weight` * `q_7`.`__ivm_kept_side`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `c`.`customer_id` AS `c_customer_id`,
      `generated_3`.`__ivm_kept_side` AS `__ivm_kept_side`,
      1 AS `__ivm_weight`
    FROM `shop`.`customers` VERSION AS OF 9 AS `c`
    LEFT SEMI JOIN (
      SELECT
        `q_5`.`customer_id` AS `customer_id`,
        `q_5`.`sum` AS `sum`
      FROM (
        SELECT
          `q_4`.`o_customer_id` AS `customer_id`,
          `q_4`.`__ivm_side` AS `__ivm_side`,
          sum(`q_4`.`o_amount`) AS `sum`
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
                  `o`.`customer_id` AS `__ivm_touched_0`
                FROM table_changes('`shop`.`orders`', 8, 9) AS `o`
              ) AS `q`
                ON `o`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_touched_0`
              LATERAL VIEW
              EXPLODE(array(1, -1)) generated AS `__ivm_side`
              UNION ALL
              SELECT
                `o`.`customer_id` AS `o_customer_id`,
                `o`.`amount` AS `o_amount`,
                -1 AS `__ivm_side`,
                -IF(`o`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
              FROM table_changes('`shop`.`orders`', 8, 9) AS `o`
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
      ) AS `q_5`
      WHERE
        `q_5`.`sum` > 300
    ) AS `q_6`
      ON `q_6`.`customer_id` = `c`.`customer_id`
    LATERAL VIEW
    EXPLODE(array(1, -1)) generated_3 AS `__ivm_kept_side`
  ) AS `q_7`
  LEFT SEMI JOIN (
    SELECT
      `q_22`.`customer_id` AS `customer_id`,
      `q_22`.`sum` AS `sum`,
      `q_22`.`__ivm_side` AS `__ivm_side`
    FROM (
      SELECT
        `q_21`.`customer_id` AS `customer_id`,
        `q_21`.`sum` AS `sum`,
        `q_21`.`__ivm_side` AS `__ivm_side`,
        SUM(`q_21`.`__ivm_weight`) AS `__ivm_times`
      FROM (
        SELECT
          `q_15`.`customer_id` AS `customer_id`,
          `q_15`.`sum` AS `sum`,
          `generated_6`.`__ivm_side` AS `__ivm_side`,
          1 AS `__ivm_weight`
        FROM (
          SELECT
            `q_8`.`customer_id` AS `customer_id`,
            `q_8`.`sum` AS `sum`
          FROM (
            SELECT
              `o`.`customer_id` AS `customer_id`,
              sum(`o`.`amount`) AS `sum`
            FROM `shop`.`orders` VERSION AS OF 9 AS `o`
            GROUP BY
              `o`.`customer_id`
          ) AS `q_8`
          LEFT SEMI JOIN (
            SELECT DISTINCT
              `q_13`.`customer_id` AS `__ivm_touched_0`
            FROM (
              SELECT
                `q_12`.`o_customer_id` AS `customer_id`,
                `q_12`.`__ivm_side` AS `__ivm_side`,
                sum(`q_12`.`o_amount`) AS `sum`
              FROM (
                SELECT
                  `q_11`.`o_customer_id` AS `o_customer_id`,
                  `q_11`.`o_amount` AS `o_amount`,
                  `q_11`.`__ivm_side` AS `__ivm_side`,
                  `q_11`.`__ivm_times` AS `__ivm_times`
                FROM (
                  SELECT
                    `q_10`.`o_customer_id` AS `o_customer_id`,
                    `q_10`.`o_amount` AS `o_amount`,
                    `q_10`.`__ivm_side` AS `__ivm_side`,
                    SUM(`q_10`.`__ivm_weight`) AS `__ivm_times`
                  FROM (
                    SELECT
                      `o`.`customer_id` AS `o_customer_id`,
                      `o`.`amount` AS `o_amount`,
                      `generated_4`.`__ivm_side` AS `__ivm_side`,
                      1 AS `__ivm_weight`
                    FROM `shop`.`orders` VERSION AS OF 9 AS `o`
                    LEFT SEMI JOIN (
                      SELECT DISTINCT
                        `o`.`customer_id` AS `__ivm_touched_0`
                      FROM table_changes('`shop`.`orders`', 8, 9) AS `o`
                    ) AS `q_9`
                      ON `o`.`customer_id` IS NOT DISTINCT FROM `q_9`.`__ivm_touched_0`
                    LATERAL VIEW
                    EXPLODE(array(1, -1)) generated_4 AS `__ivm_side`
                    UNION ALL
                    SELECT
                      `o`.`customer_id` AS `o_customer_id`,
                      `o`.`amount` AS `o_amount`,
                      -1 AS `__ivm_side`,
                      -IF(`o`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
                    FROM table_changes('`shop`.`orders`', 8, 9) AS `o`
                  ) AS `q_10`
                  GROUP BY
                    `q_10`.`o_customer_id`,
                    `q_10`.`o_amount`,
                    `q_10`.`__ivm_side`
                ) AS `q_11`
                WHERE
                  `q_11`.`__ivm_times` > 0
              ) AS `q_12`
              LATERAL VIEW
              EXPLODE(array_repeat(0, CAST(`q_12`.`__ivm_times` AS INT))) generated_5 AS `__ivm_copy`
              GROUP BY
                `q_12`.`o_customer_id`,
                `q_12`.`__ivm_side`
            ) AS `q_13`
            WHERE
              `q_13`.`sum` > 300
          ) AS `q_14`
            ON `q_8`.`customer_id` IS NOT DISTINCT FROM `q_14`.`__ivm_touched_0`
          WHERE
            `q_8`.`sum` > 300
        ) AS `q_15`
        LATERAL VIEW
        EXPLODE(array(1, -1)) generated_6 AS `__ivm_side`
        UNION ALL
        SELECT
          `q_20`.`customer_id` AS `customer_id`,
          `q_20`.`sum` AS `sum`,
          -1 AS `__ivm_side`,
          -`q_20`.`__ivm_side` AS `__ivm_weight`
        FROM (
          SELECT
            `q_19`.`o_customer_id` AS `customer_id`,
            `q_19`.`__ivm_side` AS `__ivm_side`,
            sum(`q_19`.`o_amount`) AS `sum`
          FROM (
            SELECT
              `q_18`.`o_customer_id` AS `o_customer_id`,
              `q_18`.`o_amount` AS `o_amount`,
              `q_18`.`__ivm_side` AS `__ivm_side`,
              `q_18`.`__ivm_times` AS `__ivm_times`
            FROM (
              SELECT
                `q_17`.`o_customer_id` AS `o_customer_id`,
                `q_17`.`o_amount` AS `o_amount`,
                `q_17`.`__ivm_side` AS `__ivm_side`,
                SUM(`q_17`.`__ivm_weight`) AS `__ivm_times`
              FROM (
                SELECT
                  `o`.`customer_id` AS `o_customer_id`,
                  `o`.`amount` AS `o_amount`,
                  `generated_7`.`__ivm_side` AS `__ivm_side`,
                  1 AS `__ivm_weight`
                FROM `shop`.`orders` VERSION AS OF 9 AS `o`
                LEFT SEMI JOIN (
                  SELECT DISTINCT
                    `o`.`customer_id` AS `__ivm_touched_0`
                  FROM table_changes('`shop`.`orders`', 8, 9) AS `o`
                ) AS `q_16`
                  ON `o`.`customer_id` IS NOT DISTINCT FROM `q_16`.`__ivm_touched_0`
                LATERAL VIEW
                EXPLODE(array(1, -1)) generated_7 AS `__ivm_side`
                UNION ALL
                SELECT
                  `o`.`customer_id` AS `o_customer_id`,
                  `o`.`amount` AS `o_amount`,
                  -1 AS `__ivm_side`,
                  -IF(`o`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
                FROM table_changes('`shop`.`orders`', 8, 9) AS `o`
              ) AS `q_17`
              GROUP BY
                `q_17`.`o_customer_id`,
                `q_17`.`o_amount`,
                `q_17`.`__ivm_side`
            ) AS `q_18`
            WHERE
              `q_18`.`__ivm_times` > 0
          ) AS `q_19`
          LATERAL VIEW
          EXPLODE(array_repeat(0, CAST(`q_19`.`__ivm_times` AS INT))) generated_8 AS `__ivm_copy`
          GROUP BY
            `q_19`.`o_customer_id`,
            `q_19`.`__ivm_side`
        ) AS `q_20`
        WHERE
          `q_20`.`sum` > 300
      ) AS `q_21`
      GROUP BY
        `q_21`.`customer_id`,
        `q_21`.`sum`,
        `q_21`.`__ivm_side`
    ) AS `q_22`
    WHERE
      `q_22`.`__ivm_times` > 0
  ) AS `q_23`
    ON `q_23`.`customer_id` = `q_7`.`c_customer_id`
    AND `q_7`.`__ivm_kept_side` = `q_23`.`__ivm_side`
  GROUP BY
    `q_7`.`c_customer_id`
) AS `q_24`
WHERE
  `q_24`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`customer_id_2` IS NOT DISTINCT FROM `s`.`customer_id_2`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `customer_id_2`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`customer_id_2`,
  `s`.`__ivm_hash`
)

-- merge of changes in orders
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_24`.`customer_id_2` AS `customer_id_2`,
  `q_24`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q_24`.`customer_id_2`) AS `__ivm_hash`
FROM (
  SELECT
    `q_7`.`c_customer_id` AS `customer_id_2`,
    COALESCE(SUM(`q_7`.`__ivm_weight` * `q_7`.`__ivm_kept_side`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `c`.`customer_id` AS `c_customer_id`,
      `generated_3`.`__ivm_kept_side` AS `__ivm_kept_side`,
      1 AS `__ivm_weight`
    FROM `shop`.`customers` VERSION AS OF 9 AS `c`
    LEFT SEMI JOIN (
      SELECT
        `q_5`.`customer_id` AS `customer_id`,
        `q_5`.`sum` AS `sum`
      FROM (
        SELECT
          `q_4`.`o_customer_id` AS `customer_id`,
          `q_4`.`__ivm_side` AS `__ivm_side`,
          sum(`q_4`.`o_amount`) AS `sum`
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
                  `o`.`customer_id` AS `__ivm_touched_0`
                FROM table_changes('`shop`.`orders`', 8, 9) AS `o`
              ) AS `q`
                ON `o`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_touched_0`
              LATERAL VIEW
              EXPLODE(array(1, -1)) generated AS `__ivm_side`
              UNION ALL
              SELECT
                `o`.`customer_id` AS `o_customer_id`,
                `o`.`amount` AS `o_amount`,
                -1 AS `__ivm_side`,
                -IF(`o`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
              FROM table_changes('`shop`.`orders`', 8, 9) AS `o`
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
      ) AS `q_5`
      WHERE
        `q_5`.`sum` > 300
    ) AS `q_6`
      ON `q_6`.`customer_id` = `c`.`customer_id`
    LATERAL VIEW
    EXPLODE(array(1, -1)) generated_3 AS `__ivm_kept_side`
  ) AS `q_7`
  LEFT SEMI JOIN (
    SELECT
      `q_22`.`customer_id` AS `customer_id`,
      `q_22`.`sum` AS `sum`,
      `q_22`.`__ivm_side` AS `__ivm_side`
    FROM (
      SELECT
        `q_21`.`customer_id` AS `customer_id`,
        `q_21`.`sum` AS `sum`,
        `q_21`.`__ivm_side` AS `__ivm_side`,
        SUM(`q_21`.`__ivm_weight`) AS `__ivm_times`
      FROM (
        SELECT
          `q_15`.`customer_id` AS `customer_id`,
          `q_15`.`sum` AS `sum`,
          `generated_6`.`__ivm_side` AS `__ivm_side`,
          1 AS `__ivm_weight`
        FROM (
          SELECT
            `q_8`.`customer_id` AS `customer_id`,
            `q_8`.`sum` AS `sum`
          FROM (
            SELECT
              `o`.`customer_id` AS `customer_id`,
              sum(`o`.`amount`) AS `sum`
            FROM `shop`.`orders` VERSION AS OF 9 AS `o`
            GROUP BY
              `o`.`customer_id`
          ) AS `q_8`
          LEFT SEMI JOIN (
            SELECT DISTINCT
              `q_13`.`customer_id` AS `__ivm_touched_0`
            FROM (
              SELECT
                `q_12`.`o_customer_id` AS `customer_id`,
                `q_12`.`__ivm_side` AS `__ivm_side`,
                sum(`q_12`.`o_amount`) AS `sum`
              FROM (
                SELECT
                  `q_11`.`o_customer_id` AS `o_customer_id`,
                  `q_11`.`o_amount` AS `o_amount`,
                  `q_11`.`__ivm_side` AS `__ivm_side`,
                  `q_11`.`__ivm_times` AS `__ivm_times`
                FROM (
                  SELECT
                    `q_10`.`o_customer_id` AS `o_customer_id`,
                    `q_10`.`o_amount` AS `o_amount`,
                    `q_10`.`__ivm_side` AS `__ivm_side`,
                    SUM(`q_10`.`__ivm_weight`) AS `__ivm_times`
                  FROM (
                    SELECT
                      `o`.`customer_id` AS `o_customer_id`,
                      `o`.`amount` AS `o_amount`,
                      `generated_4`.`__ivm_side` AS `__ivm_side`,
                      1 AS `__ivm_weight`
                    FROM `shop`.`orders` VERSION AS OF 9 AS `o`
                    LEFT SEMI JOIN (
                      SELECT DISTINCT
                        `o`.`customer_id` AS `__ivm_touched_0`
                      FROM table_changes('`shop`.`orders`', 8, 9) AS `o`
                    ) AS `q_9`
                      ON `o`.`customer_id` IS NOT DISTINCT FROM `q_9`.`__ivm_touched_0`
                    LATERAL VIEW
                    EXPLODE(array(1, -1)) generated_4 AS `__ivm_side`
                    UNION ALL
                    SELECT
                      `o`.`customer_id` AS `o_customer_id`,
                      `o`.`amount` AS `o_amount`,
                      -1 AS `__ivm_side`,
                      -IF(`o`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
                    FROM table_changes('`shop`.`orders`', 8, 9) AS `o`
                  ) AS `q_10`
                  GROUP BY
                    `q_10`.`o_customer_id`,
                    `q_10`.`o_amount`,
                    `q_10`.`__ivm_side`
                ) AS `q_11`
                WHERE
                  `q_11`.`__ivm_times` > 0
              ) AS `q_12`
              LATERAL VIEW
              EXPLODE(array_repeat(0, CAST(`q_12`.`__ivm_times` AS INT))) generated_5 AS `__ivm_copy`
              GROUP BY
                `q_12`.`o_customer_id`,
                `q_12`.`__ivm_side`
            ) AS `q_13`
            WHERE
              `q_13`.`sum` > 300
          ) AS `q_14`
            ON `q_8`.`customer_id` IS NOT DISTINCT FROM `q_14`.`__ivm_touched_0`
          WHERE
            `q_8`.`sum` > 300
        ) AS `q_15`
        LATERAL VIEW
        EXPLODE(array(1, -1)) generated_6 AS `__ivm_side`
        UNION ALL
        SELECT
          `q_20`.`customer_id` AS `customer_id`,
          `q_20`.`sum` AS `sum`,
          -1 AS `__ivm_side`,
          -`q_20`.`__ivm_side` AS `__ivm_weight`
        FROM (
          SELECT
            `q_19`.`o_customer_id` AS `customer_id`,
            `q_19`.`__ivm_side` AS `__ivm_side`,
            sum(`q_19`.`o_amount`) AS `sum`
          FROM (
            SELECT
              `q_18`.`o_customer_id` AS `o_customer_id`,
              `q_18`.`o_amount` AS `o_amount`,
              `q_18`.`__ivm_side` AS `__ivm_side`,
              `q_18`.`__ivm_times` AS `__ivm_times`
            FROM (
              SELECT
                `q_17`.`o_customer_id` AS `o_customer_id`,
                `q_17`.`o_amount` AS `o_amount`,
                `q_17`.`__ivm_side` AS `__ivm_side`,
                SUM(`q_17`.`__ivm_weight`) AS `__ivm_times`
              FROM (
                SELECT
                  `o`.`customer_id` AS `o_customer_id`,
                  `o`.`amount` AS `o_amount`,
                  `generated_7`.`__ivm_side` AS `__ivm_side`,
                  1 AS `__ivm_weight`
                FROM `shop`.`orders` VERSION AS OF 9 AS `o`
                LEFT SEMI JOIN (
                  SELECT DISTINCT
                    `o`.`customer_id` AS `__ivm_touched_0`
                  FROM table_changes('`shop`.`orders`', 8, 9) AS `o`
                ) AS `q_16`
                  ON `o`.`customer_id` IS NOT DISTINCT FROM `q_16`.`__ivm_touched_0`
                LATERAL VIEW
                EXPLODE(array(1, -1)) generated_7 AS `__ivm_side`
                UNION ALL
                SELECT
                  `o`.`customer_id` AS `o_customer_id`,
                  `o`.`amount` AS `o_amount`,
                  -1 AS `__ivm_side`,
                  -IF(`o`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
                FROM table_changes('`shop`.`orders`', 8, 9) AS `o`
              ) AS `q_17`
              GROUP BY
                `q_17`.`o_customer_id`,
                `q_17`.`o_amount`,
                `q_17`.`__ivm_side`
            ) AS `q_18`
            WHERE
              `q_18`.`__ivm_times` > 0
          ) AS `q_19`
          LATERAL VIEW
          EXPLODE(array_repeat(0, CAST(`q_19`.`__ivm_times` AS INT))) generated_8 AS `__ivm_copy`
          GROUP BY
            `q_19`.`o_customer_id`,
            `q_19`.`__ivm_side`
        ) AS `q_20`
        WHERE
          `q_20`.`sum` > 300
      ) AS `q_21`
      GROUP BY
        `q_21`.`customer_id`,
        `q_21`.`sum`,
        `q_21`.`__ivm_side`
    ) AS `q_22`
    WHERE
      `q_22`.`__ivm_times` > 0
  ) AS `q_23`
    ON `q_23`.`customer_id` = `q_7`.`c_customer_id`
    AND `q_7`.`__ivm_kept_side` = `q_23`.`__ivm_side`
  GROUP BY
    `q_7`.`c_customer_id`
) AS `q_24`
WHERE
  `q_24`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`customer_id_2` IS NOT DISTINCT FROM `s`.`customer_id_2`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `customer_id_2`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`customer_id_2`,
  `s`.`__ivm_hash`
)
