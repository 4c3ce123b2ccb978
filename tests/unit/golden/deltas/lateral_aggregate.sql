-- view
select c.name, l.orders, l.revenue from shop.customers c, lateral (select count(*) as orders, sum(o.amount) as revenue from shop.orders o where o.customer_id = c.customer_id) l

-- types
- orders bigint
- revenue decimal(22,2)

-- delta of orders
SELECT
  `q_22`.`c_name` AS `name`,
  COALESCE(`q_23`.`orders`, 0) AS `orders_3`,
  `q_23`.`revenue` AS `revenue_3`,
  `q_22`.`__ivm_weight` * `q_22`.`__ivm_kept_side` AS `__ivm_weight`
FROM (
  SELECT
    `c`.`customer_id` AS `c_customer_id`,
    `c`.`name` AS `c_name`,
    `generated_3`.`__ivm_kept_side` AS `__ivm_kept_side`,
    1 AS `__ivm_weight`
  FROM `shop`.`customers` AS `c`
  LEFT SEMI JOIN (
    SELECT
      `q_5`.`o_customer_id` AS `o_customer_id`,
      `q_5`.`orders` AS `orders`,
      `q_5`.`revenue` AS `revenue`
    FROM (
      SELECT
        `q_4`.`o_customer_id` AS `o_customer_id`,
        `q_4`.`__ivm_side` AS `__ivm_side`,
        count(1) AS `orders`,
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
            FROM `shop`.`orders` AS `o`
            LEFT SEMI JOIN (
              SELECT DISTINCT
                `o`.`customer_id` AS `__ivm_touched_0`
              FROM `shop`.`orders_changes` AS `o`
            ) AS `q`
              ON `o`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_touched_0`
            LATERAL VIEW
            EXPLODE(array(1, -1)) generated AS `__ivm_side`
            UNION ALL
            SELECT
              `o`.`customer_id` AS `o_customer_id`,
              `o`.`amount` AS `o_amount`,
              -1 AS `__ivm_side`,
              -`o`.`__ivm_weight` AS `__ivm_weight`
            FROM `shop`.`orders_changes` AS `o`
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
  ) AS `q_6`
    ON `q_6`.`o_customer_id` = `c`.`customer_id`
  LATERAL VIEW
  EXPLODE(array(1, -1)) generated_3 AS `__ivm_kept_side`
) AS `q_22`
LEFT JOIN (
  SELECT
    `q_21`.`o_customer_id` AS `o_customer_id`,
    `q_21`.`orders` AS `orders`,
    `q_21`.`revenue` AS `revenue`,
    `q_21`.`__ivm_side` AS `__ivm_side`
  FROM (
    SELECT
      `q_20`.`o_customer_id` AS `o_customer_id`,
      `q_20`.`orders` AS `orders`,
      `q_20`.`revenue` AS `revenue`,
      `q_20`.`__ivm_side` AS `__ivm_side`,
      `q_20`.`__ivm_times` AS `__ivm_times`
    FROM (
      SELECT
        `q_19`.`o_customer_id` AS `o_customer_id`,
        `q_19`.`orders` AS `orders`,
        `q_19`.`revenue` AS `revenue`,
        `q_19`.`__ivm_side` AS `__ivm_side`,
        SUM(`q_19`.`__ivm_weight`) AS `__ivm_times`
      FROM (
        SELECT
          `q_7`.`o_customer_id` AS `o_customer_id`,
          `q_7`.`orders` AS `orders`,
          `q_7`.`revenue` AS `revenue`,
          `generated_6`.`__ivm_side` AS `__ivm_side`,
          1 AS `__ivm_weight`
        FROM (
          SELECT
            `o`.`customer_id` AS `o_customer_id`,
            count(1) AS `orders`,
            sum(`o`.`amount`) AS `revenue`
          FROM `shop`.`orders` AS `o`
          GROUP BY
            `o`.`customer_id`
        ) AS `q_7`
        LEFT SEMI JOIN (
          SELECT DISTINCT
            `q_12`.`o_customer_id` AS `__ivm_touched_0`
          FROM (
            SELECT
              `q_11`.`o_customer_id` AS `o_customer_id`,
              `q_11`.`__ivm_side` AS `__ivm_side`,
              count(1) AS `orders`,
              sum(`q_11`.`o_amount`) AS `revenue`
            FROM (
              SELECT
                `q_10`.`o_customer_id` AS `o_customer_id`,
                `q_10`.`o_amount` AS `o_amount`,
                `q_10`.`__ivm_side` AS `__ivm_side`,
                `q_10`.`__ivm_times` AS `__ivm_times`
              FROM (
                SELECT
                  `q_9`.`o_customer_id` AS `o_customer_id`,
                  `q_9`.`o_amount` AS `o_amount`,
                  `q_9`.`__ivm_side` AS `__ivm_side`,
                  SUM(`q_9`.`__ivm_weight`) AS `__ivm_times`
                FROM (
                  SELECT
                    `o`.`customer_id` AS `o_customer_id`,
                    `o`.`amount` AS `o_amount`,
                    `generated_4`.`__ivm_side` AS `__ivm_side`,
                    1 AS `__ivm_weight`
                  FROM `shop`.`orders` AS `o`
                  LEFT SEMI JOIN (
                    SELECT DISTINCT
                      `o`.`customer_id` AS `__ivm_touched_0`
                    FROM `shop`.`orders_changes` AS `o`
                  ) AS `q_8`
                    ON `o`.`customer_id` IS NOT DISTINCT FROM `q_8`.`__ivm_touched_0`
                  LATERAL VIEW
                  EXPLODE(array(1, -1)) generated_4 AS `__ivm_side`
                  UNION ALL
                  SELECT
                    `o`.`customer_id` AS `o_customer_id`,
                    `o`.`amount` AS `o_amount`,
                    -1 AS `__ivm_side`,
                    -`o`.`__ivm_weight` AS `__ivm_weight`
                  FROM `shop`.`orders_changes` AS `o`
                ) AS `q_9`
                GROUP BY
                  `q_9`.`o_customer_id`,
                  `q_9`.`o_amount`,
                  `q_9`.`__ivm_side`
              ) AS `q_10`
              WHERE
                `q_10`.`__ivm_times` > 0
            ) AS `q_11`
            LATERAL VIEW
            EXPLODE(array_repeat(0, CAST(`q_11`.`__ivm_times` AS INT))) generated_5 AS `__ivm_copy`
            GROUP BY
              `q_11`.`o_customer_id`,
              `q_11`.`__ivm_side`
          ) AS `q_12`
        ) AS `q_13`
          ON `q_7`.`o_customer_id` IS NOT DISTINCT FROM `q_13`.`__ivm_touched_0`
        LATERAL VIEW
        EXPLODE(array(1, -1)) generated_6 AS `__ivm_side`
        UNION ALL
        SELECT
          `q_18`.`o_customer_id` AS `o_customer_id`,
          `q_18`.`orders` AS `orders`,
          `q_18`.`revenue` AS `revenue`,
          -1 AS `__ivm_side`,
          -`q_18`.`__ivm_side` AS `__ivm_weight`
        FROM (
          SELECT
            `q_17`.`o_customer_id` AS `o_customer_id`,
            `q_17`.`__ivm_side` AS `__ivm_side`,
            count(1) AS `orders`,
            sum(`q_17`.`o_amount`) AS `revenue`
          FROM (
            SELECT
              `q_16`.`o_customer_id` AS `o_customer_id`,
              `q_16`.`o_amount` AS `o_amount`,
              `q_16`.`__ivm_side` AS `__ivm_side`,
              `q_16`.`__ivm_times` AS `__ivm_times`
            FROM (
              SELECT
                `q_15`.`o_customer_id` AS `o_customer_id`,
                `q_15`.`o_amount` AS `o_amount`,
                `q_15`.`__ivm_side` AS `__ivm_side`,
                SUM(`q_15`.`__ivm_weight`) AS `__ivm_times`
              FROM (
                SELECT
                  `o`.`customer_id` AS `o_customer_id`,
                  `o`.`amount` AS `o_amount`,
                  `generated_7`.`__ivm_side` AS `__ivm_side`,
                  1 AS `__ivm_weight`
                FROM `shop`.`orders` AS `o`
                LEFT SEMI JOIN (
                  SELECT DISTINCT
                    `o`.`customer_id` AS `__ivm_touched_0`
                  FROM `shop`.`orders_changes` AS `o`
                ) AS `q_14`
                  ON `o`.`customer_id` IS NOT DISTINCT FROM `q_14`.`__ivm_touched_0`
                LATERAL VIEW
                EXPLODE(array(1, -1)) generated_7 AS `__ivm_side`
                UNION ALL
                SELECT
                  `o`.`customer_id` AS `o_customer_id`,
                  `o`.`amount` AS `o_amount`,
                  -1 AS `__ivm_side`,
                  -`o`.`__ivm_weight` AS `__ivm_weight`
                FROM `shop`.`orders_changes` AS `o`
              ) AS `q_15`
              GROUP BY
                `q_15`.`o_customer_id`,
                `q_15`.`o_amount`,
                `q_15`.`__ivm_side`
            ) AS `q_16`
            WHERE
              `q_16`.`__ivm_times` > 0
          ) AS `q_17`
          LATERAL VIEW
          EXPLODE(array_repeat(0, CAST(`q_17`.`__ivm_times` AS INT))) generated_8 AS `__ivm_copy`
          GROUP BY
            `q_17`.`o_customer_id`,
            `q_17`.`__ivm_side`
        ) AS `q_18`
      ) AS `q_19`
      GROUP BY
        `q_19`.`o_customer_id`,
        `q_19`.`orders`,
        `q_19`.`revenue`,
        `q_19`.`__ivm_side`
    ) AS `q_20`
    WHERE
      `q_20`.`__ivm_times` > 0
  ) AS `q_21`
  LATERAL VIEW
  EXPLODE(array_repeat(0, CAST(`q_21`.`__ivm_times` AS INT))) generated_9 AS `__ivm_copy`
) AS `q_23`
  ON `q_23`.`o_customer_id` = `q_22`.`c_customer_id`
  AND `q_22`.`__ivm_kept_side` = `q_23`.`__ivm_side`
