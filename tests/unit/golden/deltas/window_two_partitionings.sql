-- view
select order_id, amount, max(amount) over (partition by customer_id) as best,
  dense_rank() over (partition by ordered_on order by amount desc nulls last) as place
from shop.orders

-- types
best decimal(12,2)
place int

-- delta of orders
SELECT
  `q_13`.`orders_order_id` AS `order_id`,
  `q_13`.`orders_amount` AS `amount`,
  `q_13`.`best` AS `best_2`,
  dense_rank() OVER (
    PARTITION BY `q_13`.`orders_ordered_on`, `q_13`.`__ivm_side`
    ORDER BY `q_13`.`orders_amount` DESC
  ) AS `place_2`,
  `q_13`.`__ivm_side` AS `__ivm_weight`
FROM (
  SELECT
    `q_12`.`orders_order_id` AS `orders_order_id`,
    `q_12`.`orders_customer_id` AS `orders_customer_id`,
    `q_12`.`orders_ordered_on` AS `orders_ordered_on`,
    `q_12`.`orders_amount` AS `orders_amount`,
    `q_12`.`best` AS `best`,
    `q_12`.`__ivm_side` AS `__ivm_side`,
    `q_12`.`__ivm_times` AS `__ivm_times`
  FROM (
    SELECT
      `q_11`.`orders_order_id` AS `orders_order_id`,
      `q_11`.`orders_customer_id` AS `orders_customer_id`,
      `q_11`.`orders_ordered_on` AS `orders_ordered_on`,
      `q_11`.`orders_amount` AS `orders_amount`,
      `q_11`.`best` AS `best`,
      `q_11`.`__ivm_side` AS `__ivm_side`,
      SUM(`q_11`.`__ivm_weight`) AS `__ivm_times`
    FROM (
      SELECT
        `q`.`orders_order_id` AS `orders_order_id`,
        `q`.`orders_customer_id` AS `orders_customer_id`,
        `q`.`orders_ordered_on` AS `orders_ordered_on`,
        `q`.`orders_amount` AS `orders_amount`,
        `q`.`best` AS `best`,
        `generated_3`.`__ivm_side` AS `__ivm_side`,
        1 AS `__ivm_weight`
      FROM (
        SELECT
          `orders`.`order_id` AS `orders_order_id`,
          `orders`.`customer_id` AS `orders_customer_id`,
          `orders`.`ordered_on` AS `orders_ordered_on`,
          `orders`.`amount` AS `orders_amount`,
          max(`orders`.`amount`) OVER (PARTITION BY `orders`.`customer_id`) AS `best`,
          `orders`.`ordered_on` AS `__ivm_key_0`
        FROM `shop`.`orders` AS `orders`
      ) AS `q`
      LEFT SEMI JOIN (
        SELECT DISTINCT
          `q_5`.`orders_ordered_on` AS `__ivm_touched_0`
        FROM (
          SELECT
            `q_4`.`orders_order_id` AS `orders_order_id`,
            `q_4`.`orders_customer_id` AS `orders_customer_id`,
            `q_4`.`orders_ordered_on` AS `orders_ordered_on`,
            `q_4`.`orders_amount` AS `orders_amount`,
            `q_4`.`__ivm_side` AS `__ivm_side`,
            `q_4`.`__ivm_times` AS `__ivm_times`
          FROM (
            SELECT
              `q_3`.`orders_order_id` AS `orders_order_id`,
              `q_3`.`orders_customer_id` AS `orders_customer_id`,
              `q_3`.`orders_ordered_on` AS `orders_ordered_on`,
              `q_3`.`orders_amount` AS `orders_amount`,
              `q_3`.`__ivm_side` AS `__ivm_side`,
              SUM(`q_3`.`__ivm_weight`) AS `__ivm_times`
            FROM (
              SELECT
                `orders`.`order_id` AS `orders_order_id`,
                `orders`.`customer_id` AS `orders_customer_id`,
                `orders`.`ordered_on` AS `orders_ordered_on`,
                `orders`.`amount` AS `orders_amount`,
                `generated`.`__ivm_side` AS `__ivm_side`,
                1 AS `__ivm_weight`
              FROM `shop`.`orders` AS `orders`
              LEFT SEMI JOIN (
                SELECT DISTINCT
                  `orders`.`customer_id` AS `__ivm_touched_0`
                FROM `shop`.`orders_changes` AS `orders`
              ) AS `q_2`
                ON `orders`.`customer_id` IS NOT DISTINCT FROM `q_2`.`__ivm_touched_0`
              LATERAL VIEW
              EXPLODE(array(1, -1)) generated AS `__ivm_side`
              UNION ALL
              SELECT
                `orders`.`order_id` AS `orders_order_id`,
                `orders`.`customer_id` AS `orders_customer_id`,
                `orders`.`ordered_on` AS `orders_ordered_on`,
                `orders`.`amount` AS `orders_amount`,
                -1 AS `__ivm_side`,
                -`orders`.`__ivm_weight` AS `__ivm_weight`
              FROM `shop`.`orders_changes` AS `orders`
            ) AS `q_3`
            GROUP BY
              `q_3`.`orders_order_id`,
              `q_3`.`orders_customer_id`,
              `q_3`.`orders_ordered_on`,
              `q_3`.`orders_amount`,
              `q_3`.`__ivm_side`
          ) AS `q_4`
          WHERE
            `q_4`.`__ivm_times` > 0
        ) AS `q_5`
        LATERAL VIEW
        EXPLODE(array_repeat(0, CAST(`q_5`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`
      ) AS `q_6`
        ON `q`.`__ivm_key_0` IS NOT DISTINCT FROM `q_6`.`__ivm_touched_0`
      LATERAL VIEW
      EXPLODE(array(1, -1)) generated_3 AS `__ivm_side`
      UNION ALL
      SELECT
        `q_10`.`orders_order_id` AS `orders_order_id`,
        `q_10`.`orders_customer_id` AS `orders_customer_id`,
        `q_10`.`orders_ordered_on` AS `orders_ordered_on`,
        `q_10`.`orders_amount` AS `orders_amount`,
        max(`q_10`.`orders_amount`) OVER (PARTITION BY `q_10`.`orders_customer_id`, `q_10`.`__ivm_side`) AS `best`,
        -1 AS `__ivm_side`,
        -`q_10`.`__ivm_side` AS `__ivm_weight`
      FROM (
        SELECT
          `q_9`.`orders_order_id` AS `orders_order_id`,
          `q_9`.`orders_customer_id` AS `orders_customer_id`,
          `q_9`.`orders_ordered_on` AS `orders_ordered_on`,
          `q_9`.`orders_amount` AS `orders_amount`,
          `q_9`.`__ivm_side` AS `__ivm_side`,
          `q_9`.`__ivm_times` AS `__ivm_times`
        FROM (
          SELECT
            `q_8`.`orders_order_id` AS `orders_order_id`,
            `q_8`.`orders_customer_id` AS `orders_customer_id`,
            `q_8`.`orders_ordered_on` AS `orders_ordered_on`,
            `q_8`.`orders_amount` AS `orders_amount`,
            `q_8`.`__ivm_side` AS `__ivm_side`,
            SUM(`q_8`.`__ivm_weight`) AS `__ivm_times`
          FROM (
            SELECT
              `orders`.`order_id` AS `orders_order_id`,
              `orders`.`customer_id` AS `orders_customer_id`,
              `orders`.`ordered_on` AS `orders_ordered_on`,
              `orders`.`amount` AS `orders_amount`,
              `generated_4`.`__ivm_side` AS `__ivm_side`,
              1 AS `__ivm_weight`
            FROM `shop`.`orders` AS `orders`
            LEFT SEMI JOIN (
              SELECT DISTINCT
                `orders`.`customer_id` AS `__ivm_touched_0`
              FROM `shop`.`orders_changes` AS `orders`
            ) AS `q_7`
              ON `orders`.`customer_id` IS NOT DISTINCT FROM `q_7`.`__ivm_touched_0`
            LATERAL VIEW
            EXPLODE(array(1, -1)) generated_4 AS `__ivm_side`
            UNION ALL
            SELECT
              `orders`.`order_id` AS `orders_order_id`,
              `orders`.`customer_id` AS `orders_customer_id`,
              `orders`.`ordered_on` AS `orders_ordered_on`,
              `orders`.`amount` AS `orders_amount`,
              -1 AS `__ivm_side`,
              -`orders`.`__ivm_weight` AS `__ivm_weight`
            FROM `shop`.`orders_changes` AS `orders`
          ) AS `q_8`
          GROUP BY
            `q_8`.`orders_order_id`,
            `q_8`.`orders_customer_id`,
            `q_8`.`orders_ordered_on`,
            `q_8`.`orders_amount`,
            `q_8`.`__ivm_side`
        ) AS `q_9`
        WHERE
          `q_9`.`__ivm_times` > 0
      ) AS `q_10`
      LATERAL VIEW
      EXPLODE(array_repeat(0, CAST(`q_10`.`__ivm_times` AS INT))) generated_5 AS `__ivm_copy`
    ) AS `q_11`
    GROUP BY
      `q_11`.`orders_order_id`,
      `q_11`.`orders_customer_id`,
      `q_11`.`orders_ordered_on`,
      `q_11`.`orders_amount`,
      `q_11`.`best`,
      `q_11`.`__ivm_side`
  ) AS `q_12`
  WHERE
    `q_12`.`__ivm_times` > 0
) AS `q_13`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`q_13`.`__ivm_times` AS INT))) generated_6 AS `__ivm_copy`
