-- view
select order_id, amount, max(amount) over (partition by customer_id) as best,
  dense_rank() over (partition by ordered_on order by amount desc nulls last) as place
from shop.orders

-- types
best decimal(12,2)
place int

-- state
SELECT
  `q_2`.`order_id` AS `order_id`,
  `q_2`.`amount` AS `amount`,
  `q_2`.`best_2` AS `best_2`,
  `q_2`.`place_2` AS `place_2`,
  xxhash64(`q_2`.`order_id`, `q_2`.`amount`, `q_2`.`best_2`, `q_2`.`place_2`) AS `__ivm_hash`,
  `q_2`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q`.`order_id` AS `order_id`,
    `q`.`amount` AS `amount`,
    `q`.`best_2` AS `best_2`,
    `q`.`place_2` AS `place_2`,
    COUNT(*) AS `__ivm_count`
  FROM (
    SELECT
      `orders`.`order_id` AS `order_id`,
      `orders`.`amount` AS `amount`,
      max(`orders`.`amount`) OVER (PARTITION BY `orders`.`customer_id`) AS `best_2`,
      dense_rank() OVER (PARTITION BY `orders`.`ordered_on` ORDER BY `orders`.`amount` DESC) AS `place_2`
    FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
  ) AS `q`
  GROUP BY
    `q`.`order_id`,
    `q`.`amount`,
    `q`.`best_2`,
    `q`.`place_2`
) AS `q_2`

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
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_27`.`order_id` AS `order_id`,
  `q_27`.`amount` AS `amount`,
  `q_27`.`best_2` AS `best_2`,
  `q_27`.`place_2` AS `place_2`,
  `q_27`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q_27`.`order_id`, `q_27`.`amount`, `q_27`.`best_2`, `q_27`.`place_2`) AS `__ivm_hash`
FROM (
  SELECT
    `q_26`.`orders_order_id` AS `order_id`,
    `q_26`.`orders_amount` AS `amount`,
    `q_26`.`best` AS `best_2`,
    `q_26`.`place` AS `place_2`,
    COALESCE(SUM(`q_26`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `q`.`orders_order_id` AS `orders_order_id`,
      `q`.`orders_customer_id` AS `orders_customer_id`,
      `q`.`orders_ordered_on` AS `orders_ordered_on`,
      `q`.`orders_amount` AS `orders_amount`,
      `q`.`best` AS `best`,
      dense_rank() OVER (PARTITION BY `q`.`orders_ordered_on` ORDER BY `q`.`orders_amount` DESC) AS `place`,
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
        `q_7`.`orders_ordered_on` AS `__ivm_touched_0`
      FROM (
        SELECT
          `orders`.`order_id` AS `orders_order_id`,
          `orders`.`customer_id` AS `orders_customer_id`,
          `orders`.`ordered_on` AS `orders_ordered_on`,
          `orders`.`amount` AS `orders_amount`,
          max(`orders`.`amount`) OVER (PARTITION BY `orders`.`customer_id`) AS `best`,
          1 AS `__ivm_weight`
        FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
        LEFT SEMI JOIN (
          SELECT DISTINCT
            `orders`.`customer_id` AS `__ivm_touched_0`
          FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
        ) AS `q_2`
          ON `orders`.`customer_id` IS NOT DISTINCT FROM `q_2`.`__ivm_touched_0`
        UNION ALL
        SELECT
          `q_6`.`orders_order_id` AS `orders_order_id`,
          `q_6`.`orders_customer_id` AS `orders_customer_id`,
          `q_6`.`orders_ordered_on` AS `orders_ordered_on`,
          `q_6`.`orders_amount` AS `orders_amount`,
          max(`q_6`.`orders_amount`) OVER (PARTITION BY `q_6`.`orders_customer_id`) AS `best`,
          -1 AS `__ivm_weight`
        FROM (
          SELECT
            `q_5`.`orders_order_id` AS `orders_order_id`,
            `q_5`.`orders_customer_id` AS `orders_customer_id`,
            `q_5`.`orders_ordered_on` AS `orders_ordered_on`,
            `q_5`.`orders_amount` AS `orders_amount`,
            `q_5`.`__ivm_times` AS `__ivm_times`
          FROM (
            SELECT
              `q_4`.`orders_order_id` AS `orders_order_id`,
              `q_4`.`orders_customer_id` AS `orders_customer_id`,
              `q_4`.`orders_ordered_on` AS `orders_ordered_on`,
              `q_4`.`orders_amount` AS `orders_amount`,
              SUM(`q_4`.`__ivm_weight`) AS `__ivm_times`
            FROM (
              SELECT
                `orders`.`order_id` AS `orders_order_id`,
                `orders`.`customer_id` AS `orders_customer_id`,
                `orders`.`ordered_on` AS `orders_ordered_on`,
                `orders`.`amount` AS `orders_amount`,
                1 AS `__ivm_weight`
              FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
              LEFT SEMI JOIN (
                SELECT DISTINCT
                  `orders`.`customer_id` AS `__ivm_touched_0`
                FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
              ) AS `q_3`
                ON `orders`.`customer_id` IS NOT DISTINCT FROM `q_3`.`__ivm_touched_0`
              UNION ALL
              SELECT
                `orders`.`order_id` AS `orders_order_id`,
                `orders`.`customer_id` AS `orders_customer_id`,
                `orders`.`ordered_on` AS `orders_ordered_on`,
                `orders`.`amount` AS `orders_amount`,
                -IF(`orders`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
              FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
            ) AS `q_4`
            GROUP BY
              `q_4`.`orders_order_id`,
              `q_4`.`orders_customer_id`,
              `q_4`.`orders_ordered_on`,
              `q_4`.`orders_amount`
          ) AS `q_5`
          WHERE
            `q_5`.`__ivm_times` > 0
        ) AS `q_6`
        LATERAL VIEW
        EXPLODE(array_repeat(0, CAST(`q_6`.`__ivm_times` AS INT))) generated AS `__ivm_copy`
      ) AS `q_7`
    ) AS `q_8`
      ON `q`.`__ivm_key_0` IS NOT DISTINCT FROM `q_8`.`__ivm_touched_0`
    UNION ALL
    SELECT
      `q_25`.`orders_order_id` AS `orders_order_id`,
      `q_25`.`orders_customer_id` AS `orders_customer_id`,
      `q_25`.`orders_ordered_on` AS `orders_ordered_on`,
      `q_25`.`orders_amount` AS `orders_amount`,
      `q_25`.`best` AS `best`,
      dense_rank() OVER (PARTITION BY `q_25`.`orders_ordered_on` ORDER BY `q_25`.`orders_amount` DESC) AS `place`,
      -1 AS `__ivm_weight`
    FROM (
      SELECT
        `q_24`.`orders_order_id` AS `orders_order_id`,
        `q_24`.`orders_customer_id` AS `orders_customer_id`,
        `q_24`.`orders_ordered_on` AS `orders_ordered_on`,
        `q_24`.`orders_amount` AS `orders_amount`,
        `q_24`.`best` AS `best`,
        `q_24`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q_23`.`orders_order_id` AS `orders_order_id`,
          `q_23`.`orders_customer_id` AS `orders_customer_id`,
          `q_23`.`orders_ordered_on` AS `orders_ordered_on`,
          `q_23`.`orders_amount` AS `orders_amount`,
          `q_23`.`best` AS `best`,
          SUM(`q_23`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `q_9`.`orders_order_id` AS `orders_order_id`,
            `q_9`.`orders_customer_id` AS `orders_customer_id`,
            `q_9`.`orders_ordered_on` AS `orders_ordered_on`,
            `q_9`.`orders_amount` AS `orders_amount`,
            `q_9`.`best` AS `best`,
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
          ) AS `q_9`
          LEFT SEMI JOIN (
            SELECT DISTINCT
              `q_15`.`orders_ordered_on` AS `__ivm_touched_0`
            FROM (
              SELECT
                `orders`.`order_id` AS `orders_order_id`,
                `orders`.`customer_id` AS `orders_customer_id`,
                `orders`.`ordered_on` AS `orders_ordered_on`,
                `orders`.`amount` AS `orders_amount`,
                max(`orders`.`amount`) OVER (PARTITION BY `orders`.`customer_id`) AS `best`,
                1 AS `__ivm_weight`
              FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
              LEFT SEMI JOIN (
                SELECT DISTINCT
                  `orders`.`customer_id` AS `__ivm_touched_0`
                FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
              ) AS `q_10`
                ON `orders`.`customer_id` IS NOT DISTINCT FROM `q_10`.`__ivm_touched_0`
              UNION ALL
              SELECT
                `q_14`.`orders_order_id` AS `orders_order_id`,
                `q_14`.`orders_customer_id` AS `orders_customer_id`,
                `q_14`.`orders_ordered_on` AS `orders_ordered_on`,
                `q_14`.`orders_amount` AS `orders_amount`,
                max(`q_14`.`orders_amount`) OVER (PARTITION BY `q_14`.`orders_customer_id`) AS `best`,
                -1 AS `__ivm_weight`
              FROM (
                SELECT
                  `q_13`.`orders_order_id` AS `orders_order_id`,
                  `q_13`.`orders_customer_id` AS `orders_customer_id`,
                  `q_13`.`orders_ordered_on` AS `orders_ordered_on`,
                  `q_13`.`orders_amount` AS `orders_amount`,
                  `q_13`.`__ivm_times` AS `__ivm_times`
                FROM (
                  SELECT
                    `q_12`.`orders_order_id` AS `orders_order_id`,
                    `q_12`.`orders_customer_id` AS `orders_customer_id`,
                    `q_12`.`orders_ordered_on` AS `orders_ordered_on`,
                    `q_12`.`orders_amount` AS `orders_amount`,
                    SUM(`q_12`.`__ivm_weight`) AS `__ivm_times`
                  FROM (
                    SELECT
                      `orders`.`order_id` AS `orders_order_id`,
                      `orders`.`customer_id` AS `orders_customer_id`,
                      `orders`.`ordered_on` AS `orders_ordered_on`,
                      `orders`.`amount` AS `orders_amount`,
                      1 AS `__ivm_weight`
                    FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
                    LEFT SEMI JOIN (
                      SELECT DISTINCT
                        `orders`.`customer_id` AS `__ivm_touched_0`
                      FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
                    ) AS `q_11`
                      ON `orders`.`customer_id` IS NOT DISTINCT FROM `q_11`.`__ivm_touched_0`
                    UNION ALL
                    SELECT
                      `orders`.`order_id` AS `orders_order_id`,
                      `orders`.`customer_id` AS `orders_customer_id`,
                      `orders`.`ordered_on` AS `orders_ordered_on`,
                      `orders`.`amount` AS `orders_amount`,
                      -IF(`orders`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
                    FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
                  ) AS `q_12`
                  GROUP BY
                    `q_12`.`orders_order_id`,
                    `q_12`.`orders_customer_id`,
                    `q_12`.`orders_ordered_on`,
                    `q_12`.`orders_amount`
                ) AS `q_13`
                WHERE
                  `q_13`.`__ivm_times` > 0
              ) AS `q_14`
              LATERAL VIEW
              EXPLODE(array_repeat(0, CAST(`q_14`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`
            ) AS `q_15`
          ) AS `q_16`
            ON `q_9`.`__ivm_key_0` IS NOT DISTINCT FROM `q_16`.`__ivm_touched_0`
          UNION ALL
          SELECT
            `q_22`.`orders_order_id` AS `orders_order_id`,
            `q_22`.`orders_customer_id` AS `orders_customer_id`,
            `q_22`.`orders_ordered_on` AS `orders_ordered_on`,
            `q_22`.`orders_amount` AS `orders_amount`,
            `q_22`.`best` AS `best`,
            -`q_22`.`__ivm_weight` AS `__ivm_weight`
          FROM (
            SELECT
              `orders`.`order_id` AS `orders_order_id`,
              `orders`.`customer_id` AS `orders_customer_id`,
              `orders`.`ordered_on` AS `orders_ordered_on`,
              `orders`.`amount` AS `orders_amount`,
              max(`orders`.`amount`) OVER (PARTITION BY `orders`.`customer_id`) AS `best`,
              1 AS `__ivm_weight`
            FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
            LEFT SEMI JOIN (
              SELECT DISTINCT
                `orders`.`customer_id` AS `__ivm_touched_0`
              FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
            ) AS `q_17`
              ON `orders`.`customer_id` IS NOT DISTINCT FROM `q_17`.`__ivm_touched_0`
            UNION ALL
            SELECT
              `q_21`.`orders_order_id` AS `orders_order_id`,
              `q_21`.`orders_customer_id` AS `orders_customer_id`,
              `q_21`.`orders_ordered_on` AS `orders_ordered_on`,
              `q_21`.`orders_amount` AS `orders_amount`,
              max(`q_21`.`orders_amount`) OVER (PARTITION BY `q_21`.`orders_customer_id`) AS `best`,
              -1 AS `__ivm_weight`
            FROM (
              SELECT
                `q_20`.`orders_order_id` AS `orders_order_id`,
                `q_20`.`orders_customer_id` AS `orders_customer_id`,
                `q_20`.`orders_ordered_on` AS `orders_ordered_on`,
                `q_20`.`orders_amount` AS `orders_amount`,
                `q_20`.`__ivm_times` AS `__ivm_times`
              FROM (
                SELECT
                  `q_19`.`orders_order_id` AS `orders_order_id`,
                  `q_19`.`orders_customer_id` AS `orders_customer_id`,
                  `q_19`.`orders_ordered_on` AS `orders_ordered_on`,
                  `q_19`.`orders_amount` AS `orders_amount`,
                  SUM(`q_19`.`__ivm_weight`) AS `__ivm_times`
                FROM (
                  SELECT
                    `orders`.`order_id` AS `orders_order_id`,
                    `orders`.`customer_id` AS `orders_customer_id`,
                    `orders`.`ordered_on` AS `orders_ordered_on`,
                    `orders`.`amount` AS `orders_amount`,
                    1 AS `__ivm_weight`
                  FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
                  LEFT SEMI JOIN (
                    SELECT DISTINCT
                      `orders`.`customer_id` AS `__ivm_touched_0`
                    FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
                  ) AS `q_18`
                    ON `orders`.`customer_id` IS NOT DISTINCT FROM `q_18`.`__ivm_touched_0`
                  UNION ALL
                  SELECT
                    `orders`.`order_id` AS `orders_order_id`,
                    `orders`.`customer_id` AS `orders_customer_id`,
                    `orders`.`ordered_on` AS `orders_ordered_on`,
                    `orders`.`amount` AS `orders_amount`,
                    -IF(`orders`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
                  FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
                ) AS `q_19`
                GROUP BY
                  `q_19`.`orders_order_id`,
                  `q_19`.`orders_customer_id`,
                  `q_19`.`orders_ordered_on`,
                  `q_19`.`orders_amount`
              ) AS `q_20`
              WHERE
                `q_20`.`__ivm_times` > 0
            ) AS `q_21`
            LATERAL VIEW
            EXPLODE(array_repeat(0, CAST(`q_21`.`__ivm_times` AS INT))) generated_3 AS `__ivm_copy`
          ) AS `q_22`
        ) AS `q_23`
        GROUP BY
          `q_23`.`orders_order_id`,
          `q_23`.`orders_customer_id`,
          `q_23`.`orders_ordered_on`,
          `q_23`.`orders_amount`,
          `q_23`.`best`
      ) AS `q_24`
      WHERE
        `q_24`.`__ivm_times` > 0
    ) AS `q_25`
    LATERAL VIEW
    EXPLODE(array_repeat(0, CAST(`q_25`.`__ivm_times` AS INT))) generated_4 AS `__ivm_copy`
  ) AS `q_26`
  GROUP BY
    `q_26`.`orders_order_id`,
    `q_26`.`orders_amount`,
    `q_26`.`best`,
    `q_26`.`place`
) AS `q_27`
WHERE
  `q_27`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`order_id` IS NOT DISTINCT FROM `s`.`order_id` AND `t`.`amount` IS NOT DISTINCT FROM `s`.`amount` AND `t`.`best_2` IS NOT DISTINCT FROM `s`.`best_2` AND `t`.`place_2` IS NOT DISTINCT FROM `s`.`place_2`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `order_id`, `amount`, `best_2`, `place_2`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`order_id`,
  `s`.`amount`,
  `s`.`best_2`,
  `s`.`place_2`,
  `s`.`__ivm_hash`
)

-- merge of changes in orders
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_27`.`order_id` AS `order_id`,
  `q_27`.`amount` AS `amount`,
  `q_27`.`best_2` AS `best_2`,
  `q_27`.`place_2` AS `place_2`,
  `q_27`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q_27`.`order_id`, `q_27`.`amount`, `q_27`.`best_2`, `q_27`.`place_2`) AS `__ivm_hash`
FROM (
  SELECT
    `q_26`.`orders_order_id` AS `order_id`,
    `q_26`.`orders_amount` AS `amount`,
    `q_26`.`best` AS `best_2`,
    `q_26`.`place` AS `place_2`,
    COALESCE(SUM(`q_26`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `q`.`orders_order_id` AS `orders_order_id`,
      `q`.`orders_customer_id` AS `orders_customer_id`,
      `q`.`orders_ordered_on` AS `orders_ordered_on`,
      `q`.`orders_amount` AS `orders_amount`,
      `q`.`best` AS `best`,
      dense_rank() OVER (PARTITION BY `q`.`orders_ordered_on` ORDER BY `q`.`orders_amount` DESC) AS `place`,
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
        `q_7`.`orders_ordered_on` AS `__ivm_touched_0`
      FROM (
        SELECT
          `orders`.`order_id` AS `orders_order_id`,
          `orders`.`customer_id` AS `orders_customer_id`,
          `orders`.`ordered_on` AS `orders_ordered_on`,
          `orders`.`amount` AS `orders_amount`,
          max(`orders`.`amount`) OVER (PARTITION BY `orders`.`customer_id`) AS `best`,
          1 AS `__ivm_weight`
        FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
        LEFT SEMI JOIN (
          SELECT DISTINCT
            `orders`.`customer_id` AS `__ivm_touched_0`
          FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
        ) AS `q_2`
          ON `orders`.`customer_id` IS NOT DISTINCT FROM `q_2`.`__ivm_touched_0`
        UNION ALL
        SELECT
          `q_6`.`orders_order_id` AS `orders_order_id`,
          `q_6`.`orders_customer_id` AS `orders_customer_id`,
          `q_6`.`orders_ordered_on` AS `orders_ordered_on`,
          `q_6`.`orders_amount` AS `orders_amount`,
          max(`q_6`.`orders_amount`) OVER (PARTITION BY `q_6`.`orders_customer_id`) AS `best`,
          -1 AS `__ivm_weight`
        FROM (
          SELECT
            `q_5`.`orders_order_id` AS `orders_order_id`,
            `q_5`.`orders_customer_id` AS `orders_customer_id`,
            `q_5`.`orders_ordered_on` AS `orders_ordered_on`,
            `q_5`.`orders_amount` AS `orders_amount`,
            `q_5`.`__ivm_times` AS `__ivm_times`
          FROM (
            SELECT
              `q_4`.`orders_order_id` AS `orders_order_id`,
              `q_4`.`orders_customer_id` AS `orders_customer_id`,
              `q_4`.`orders_ordered_on` AS `orders_ordered_on`,
              `q_4`.`orders_amount` AS `orders_amount`,
              SUM(`q_4`.`__ivm_weight`) AS `__ivm_times`
            FROM (
              SELECT
                `orders`.`order_id` AS `orders_order_id`,
                `orders`.`customer_id` AS `orders_customer_id`,
                `orders`.`ordered_on` AS `orders_ordered_on`,
                `orders`.`amount` AS `orders_amount`,
                1 AS `__ivm_weight`
              FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
              LEFT SEMI JOIN (
                SELECT DISTINCT
                  `orders`.`customer_id` AS `__ivm_touched_0`
                FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
              ) AS `q_3`
                ON `orders`.`customer_id` IS NOT DISTINCT FROM `q_3`.`__ivm_touched_0`
              UNION ALL
              SELECT
                `orders`.`order_id` AS `orders_order_id`,
                `orders`.`customer_id` AS `orders_customer_id`,
                `orders`.`ordered_on` AS `orders_ordered_on`,
                `orders`.`amount` AS `orders_amount`,
                -IF(`orders`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
              FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
            ) AS `q_4`
            GROUP BY
              `q_4`.`orders_order_id`,
              `q_4`.`orders_customer_id`,
              `q_4`.`orders_ordered_on`,
              `q_4`.`orders_amount`
          ) AS `q_5`
          WHERE
            `q_5`.`__ivm_times` > 0
        ) AS `q_6`
        LATERAL VIEW
        EXPLODE(array_repeat(0, CAST(`q_6`.`__ivm_times` AS INT))) generated AS `__ivm_copy`
      ) AS `q_7`
    ) AS `q_8`
      ON `q`.`__ivm_key_0` IS NOT DISTINCT FROM `q_8`.`__ivm_touched_0`
    UNION ALL
    SELECT
      `q_25`.`orders_order_id` AS `orders_order_id`,
      `q_25`.`orders_customer_id` AS `orders_customer_id`,
      `q_25`.`orders_ordered_on` AS `orders_ordered_on`,
      `q_25`.`orders_amount` AS `orders_amount`,
      `q_25`.`best` AS `best`,
      dense_rank() OVER (PARTITION BY `q_25`.`orders_ordered_on` ORDER BY `q_25`.`orders_amount` DESC) AS `place`,
      -1 AS `__ivm_weight`
    FROM (
      SELECT
        `q_24`.`orders_order_id` AS `orders_order_id`,
        `q_24`.`orders_customer_id` AS `orders_customer_id`,
        `q_24`.`orders_ordered_on` AS `orders_ordered_on`,
        `q_24`.`orders_amount` AS `orders_amount`,
        `q_24`.`best` AS `best`,
        `q_24`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q_23`.`orders_order_id` AS `orders_order_id`,
          `q_23`.`orders_customer_id` AS `orders_customer_id`,
          `q_23`.`orders_ordered_on` AS `orders_ordered_on`,
          `q_23`.`orders_amount` AS `orders_amount`,
          `q_23`.`best` AS `best`,
          SUM(`q_23`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `q_9`.`orders_order_id` AS `orders_order_id`,
            `q_9`.`orders_customer_id` AS `orders_customer_id`,
            `q_9`.`orders_ordered_on` AS `orders_ordered_on`,
            `q_9`.`orders_amount` AS `orders_amount`,
            `q_9`.`best` AS `best`,
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
          ) AS `q_9`
          LEFT SEMI JOIN (
            SELECT DISTINCT
              `q_15`.`orders_ordered_on` AS `__ivm_touched_0`
            FROM (
              SELECT
                `orders`.`order_id` AS `orders_order_id`,
                `orders`.`customer_id` AS `orders_customer_id`,
                `orders`.`ordered_on` AS `orders_ordered_on`,
                `orders`.`amount` AS `orders_amount`,
                max(`orders`.`amount`) OVER (PARTITION BY `orders`.`customer_id`) AS `best`,
                1 AS `__ivm_weight`
              FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
              LEFT SEMI JOIN (
                SELECT DISTINCT
                  `orders`.`customer_id` AS `__ivm_touched_0`
                FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
              ) AS `q_10`
                ON `orders`.`customer_id` IS NOT DISTINCT FROM `q_10`.`__ivm_touched_0`
              UNION ALL
              SELECT
                `q_14`.`orders_order_id` AS `orders_order_id`,
                `q_14`.`orders_customer_id` AS `orders_customer_id`,
                `q_14`.`orders_ordered_on` AS `orders_ordered_on`,
                `q_14`.`orders_amount` AS `orders_amount`,
                max(`q_14`.`orders_amount`) OVER (PARTITION BY `q_14`.`orders_customer_id`) AS `best`,
                -1 AS `__ivm_weight`
              FROM (
                SELECT
                  `q_13`.`orders_order_id` AS `orders_order_id`,
                  `q_13`.`orders_customer_id` AS `orders_customer_id`,
                  `q_13`.`orders_ordered_on` AS `orders_ordered_on`,
                  `q_13`.`orders_amount` AS `orders_amount`,
                  `q_13`.`__ivm_times` AS `__ivm_times`
                FROM (
                  SELECT
                    `q_12`.`orders_order_id` AS `orders_order_id`,
                    `q_12`.`orders_customer_id` AS `orders_customer_id`,
                    `q_12`.`orders_ordered_on` AS `orders_ordered_on`,
                    `q_12`.`orders_amount` AS `orders_amount`,
                    SUM(`q_12`.`__ivm_weight`) AS `__ivm_times`
                  FROM (
                    SELECT
                      `orders`.`order_id` AS `orders_order_id`,
                      `orders`.`customer_id` AS `orders_customer_id`,
                      `orders`.`ordered_on` AS `orders_ordered_on`,
                      `orders`.`amount` AS `orders_amount`,
                      1 AS `__ivm_weight`
                    FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
                    LEFT SEMI JOIN (
                      SELECT DISTINCT
                        `orders`.`customer_id` AS `__ivm_touched_0`
                      FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
                    ) AS `q_11`
                      ON `orders`.`customer_id` IS NOT DISTINCT FROM `q_11`.`__ivm_touched_0`
                    UNION ALL
                    SELECT
                      `orders`.`order_id` AS `orders_order_id`,
                      `orders`.`customer_id` AS `orders_customer_id`,
                      `orders`.`ordered_on` AS `orders_ordered_on`,
                      `orders`.`amount` AS `orders_amount`,
                      -IF(`orders`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
                    FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
                  ) AS `q_12`
                  GROUP BY
                    `q_12`.`orders_order_id`,
                    `q_12`.`orders_customer_id`,
                    `q_12`.`orders_ordered_on`,
                    `q_12`.`orders_amount`
                ) AS `q_13`
                WHERE
                  `q_13`.`__ivm_times` > 0
              ) AS `q_14`
              LATERAL VIEW
              EXPLODE(array_repeat(0, CAST(`q_14`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`
            ) AS `q_15`
          ) AS `q_16`
            ON `q_9`.`__ivm_key_0` IS NOT DISTINCT FROM `q_16`.`__ivm_touched_0`
          UNION ALL
          SELECT
            `q_22`.`orders_order_id` AS `orders_order_id`,
            `q_22`.`orders_customer_id` AS `orders_customer_id`,
            `q_22`.`orders_ordered_on` AS `orders_ordered_on`,
            `q_22`.`orders_amount` AS `orders_amount`,
            `q_22`.`best` AS `best`,
            -`q_22`.`__ivm_weight` AS `__ivm_weight`
          FROM (
            SELECT
              `orders`.`order_id` AS `orders_order_id`,
              `orders`.`customer_id` AS `orders_customer_id`,
              `orders`.`ordered_on` AS `orders_ordered_on`,
              `orders`.`amount` AS `orders_amount`,
              max(`orders`.`amount`) OVER (PARTITION BY `orders`.`customer_id`) AS `best`,
              1 AS `__ivm_weight`
            FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
            LEFT SEMI JOIN (
              SELECT DISTINCT
                `orders`.`customer_id` AS `__ivm_touched_0`
              FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
            ) AS `q_17`
              ON `orders`.`customer_id` IS NOT DISTINCT FROM `q_17`.`__ivm_touched_0`
            UNION ALL
            SELECT
              `q_21`.`orders_order_id` AS `orders_order_id`,
              `q_21`.`orders_customer_id` AS `orders_customer_id`,
              `q_21`.`orders_ordered_on` AS `orders_ordered_on`,
              `q_21`.`orders_amount` AS `orders_amount`,
              max(`q_21`.`orders_amount`) OVER (PARTITION BY `q_21`.`orders_customer_id`) AS `best`,
              -1 AS `__ivm_weight`
            FROM (
              SELECT
                `q_20`.`orders_order_id` AS `orders_order_id`,
                `q_20`.`orders_customer_id` AS `orders_customer_id`,
                `q_20`.`orders_ordered_on` AS `orders_ordered_on`,
                `q_20`.`orders_amount` AS `orders_amount`,
                `q_20`.`__ivm_times` AS `__ivm_times`
              FROM (
                SELECT
                  `q_19`.`orders_order_id` AS `orders_order_id`,
                  `q_19`.`orders_customer_id` AS `orders_customer_id`,
                  `q_19`.`orders_ordered_on` AS `orders_ordered_on`,
                  `q_19`.`orders_amount` AS `orders_amount`,
                  SUM(`q_19`.`__ivm_weight`) AS `__ivm_times`
                FROM (
                  SELECT
                    `orders`.`order_id` AS `orders_order_id`,
                    `orders`.`customer_id` AS `orders_customer_id`,
                    `orders`.`ordered_on` AS `orders_ordered_on`,
                    `orders`.`amount` AS `orders_amount`,
                    1 AS `__ivm_weight`
                  FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
                  LEFT SEMI JOIN (
                    SELECT DISTINCT
                      `orders`.`customer_id` AS `__ivm_touched_0`
                    FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
                  ) AS `q_18`
                    ON `orders`.`customer_id` IS NOT DISTINCT FROM `q_18`.`__ivm_touched_0`
                  UNION ALL
                  SELECT
                    `orders`.`order_id` AS `orders_order_id`,
                    `orders`.`customer_id` AS `orders_customer_id`,
                    `orders`.`ordered_on` AS `orders_ordered_on`,
                    `orders`.`amount` AS `orders_amount`,
                    -IF(`orders`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
                  FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
                ) AS `q_19`
                GROUP BY
                  `q_19`.`orders_order_id`,
                  `q_19`.`orders_customer_id`,
                  `q_19`.`orders_ordered_on`,
                  `q_19`.`orders_amount`
              ) AS `q_20`
              WHERE
                `q_20`.`__ivm_times` > 0
            ) AS `q_21`
            LATERAL VIEW
            EXPLODE(array_repeat(0, CAST(`q_21`.`__ivm_times` AS INT))) generated_3 AS `__ivm_copy`
          ) AS `q_22`
        ) AS `q_23`
        GROUP BY
          `q_23`.`orders_order_id`,
          `q_23`.`orders_customer_id`,
          `q_23`.`orders_ordered_on`,
          `q_23`.`orders_amount`,
          `q_23`.`best`
      ) AS `q_24`
      WHERE
        `q_24`.`__ivm_times` > 0
    ) AS `q_25`
    LATERAL VIEW
    EXPLODE(array_repeat(0, CAST(`q_25`.`__ivm_times` AS INT))) generated_4 AS `__ivm_copy`
  ) AS `q_26`
  GROUP BY
    `q_26`.`orders_order_id`,
    `q_26`.`orders_amount`,
    `q_26`.`best`,
    `q_26`.`place`
) AS `q_27`
WHERE
  `q_27`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`order_id` IS NOT DISTINCT FROM `s`.`order_id` AND `t`.`amount` IS NOT DISTINCT FROM `s`.`amount` AND `t`.`best_2` IS NOT DISTINCT FROM `s`.`best_2` AND `t`.`place_2` IS NOT DISTINCT FROM `s`.`place_2`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `order_id`, `amount`, `best_2`, `place_2`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`order_id`,
  `s`.`amount`,
  `s`.`best_2`,
  `s`.`place_2`,
  `s`.`__ivm_hash`
)
