-- view
select c.name, q.notes from shop.customers c join (select customer_id, collect_list(note) as notes from shop.orders group by customer_id) q on q.customer_id = c.customer_id

-- types
notes array<string>

-- delta of orders
SELECT
  `c`.`name` AS `name`,
  `q_6`.`notes` AS `notes_3`,
  `q_6`.`__ivm_side` AS `__ivm_weight`
FROM (
  SELECT
    `q_5`.`orders_customer_id` AS `customer_id`,
    `q_5`.`__ivm_side` AS `__ivm_side`,
    MIN(`q_5`.`__ivm_whole_notes`) AS `notes`
  FROM (
    SELECT
      `q_4`.`orders_customer_id` AS `orders_customer_id`,
      `q_4`.`orders_note` AS `orders_note`,
      `q_4`.`__ivm_side` AS `__ivm_side`,
      collect_list(`q_4`.`orders_note`) OVER (
        PARTITION BY `q_4`.`orders_customer_id`, `q_4`.`__ivm_side`
        ORDER BY `q_4`.`orders_note`
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
      ) AS `__ivm_whole_notes`
    FROM (
      SELECT
        `q_3`.`orders_customer_id` AS `orders_customer_id`,
        `q_3`.`orders_note` AS `orders_note`,
        `q_3`.`__ivm_side` AS `__ivm_side`,
        `q_3`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q_2`.`orders_customer_id` AS `orders_customer_id`,
          `q_2`.`orders_note` AS `orders_note`,
          `q_2`.`__ivm_side` AS `__ivm_side`,
          SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `orders`.`customer_id` AS `orders_customer_id`,
            `orders`.`note` AS `orders_note`,
            `generated`.`__ivm_side` AS `__ivm_side`,
            1 AS `__ivm_weight`
          FROM `shop`.`orders` AS `orders`
          LEFT SEMI JOIN (
            SELECT DISTINCT
              `orders`.`customer_id` AS `__ivm_touched_0`
            FROM `shop`.`orders_changes` AS `orders`
          ) AS `q`
            ON `orders`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_touched_0`
          LATERAL VIEW
          EXPLODE(array(1, -1)) generated AS `__ivm_side`
          UNION ALL
          SELECT
            `orders`.`customer_id` AS `orders_customer_id`,
            `orders`.`note` AS `orders_note`,
            -1 AS `__ivm_side`,
            -`orders`.`__ivm_weight` AS `__ivm_weight`
          FROM `shop`.`orders_changes` AS `orders`
        ) AS `q_2`
        GROUP BY
          `q_2`.`orders_customer_id`,
          `q_2`.`orders_note`,
          `q_2`.`__ivm_side`
      ) AS `q_3`
      WHERE
        `q_3`.`__ivm_times` > 0
    ) AS `q_4`
    LATERAL VIEW
    EXPLODE(array_repeat(0, CAST(`q_4`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`
  ) AS `q_5`
  GROUP BY
    `q_5`.`orders_customer_id`,
    `q_5`.`__ivm_side`
) AS `q_6`
JOIN `shop`.`customers` AS `c`
  ON `q_6`.`customer_id` = `c`.`customer_id`
