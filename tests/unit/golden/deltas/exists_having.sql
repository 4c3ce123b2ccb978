-- view
select c.customer_id from shop.customers c where exists (select 1 from shop.orders o where o.customer_id = c.customer_id group by o.customer_id having sum(o.amount) > 300)

-- delta of orders
SELECT
  `q_7`.`c_customer_id` AS `customer_id_2`,
  `q_7`.`__ivm_weight` * `q_7`.`__ivm_kept_side` AS `__ivm_weight`
FROM (
  SELECT
    `c`.`customer_id` AS `c_customer_id`,
    `generated_3`.`__ivm_kept_side` AS `__ivm_kept_side`,
    1 AS `__ivm_weight`
  FROM `shop`.`customers` AS `c`
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
          FROM `shop`.`orders` AS `o`
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
                  FROM `shop`.`orders` AS `o`
                  LEFT SEMI JOIN (
                    SELECT DISTINCT
                      `o`.`customer_id` AS `__ivm_touched_0`
                    FROM `shop`.`orders_changes` AS `o`
                  ) AS `q_9`
                    ON `o`.`customer_id` IS NOT DISTINCT FROM `q_9`.`__ivm_touched_0`
                  LATERAL VIEW
                  EXPLODE(array(1, -1)) generated_4 AS `__ivm_side`
                  UNION ALL
                  SELECT
                    `o`.`customer_id` AS `o_customer_id`,
                    `o`.`amount` AS `o_amount`,
                    -1 AS `__ivm_side`,
                    -`o`.`__ivm_weight` AS `__ivm_weight`
                  FROM `shop`.`orders_changes` AS `o`
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
              FROM `shop`.`orders` AS `o`
              LEFT SEMI JOIN (
                SELECT DISTINCT
                  `o`.`customer_id` AS `__ivm_touched_0`
                FROM `shop`.`orders_changes` AS `o`
              ) AS `q_16`
                ON `o`.`customer_id` IS NOT DISTINCT FROM `q_16`.`__ivm_touched_0`
              LATERAL VIEW
              EXPLODE(array(1, -1)) generated_7 AS `__ivm_side`
              UNION ALL
              SELECT
                `o`.`customer_id` AS `o_customer_id`,
                `o`.`amount` AS `o_amount`,
                -1 AS `__ivm_side`,
                -`o`.`__ivm_weight` AS `__ivm_weight`
              FROM `shop`.`orders_changes` AS `o`
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
