-- view
select order_id, row_number() over (partition by customer_id order by amount desc) as place from shop.orders

-- types
place int

-- delta of orders
SELECT
  `q_5`.`orders_order_id` AS `order_id`,
  `q_5`.`place` AS `place_2`,
  `q_5`.`__ivm_side` AS `__ivm_weight`
FROM (
  SELECT
    `q_4`.`orders_order_id` AS `orders_order_id`,
    `q_4`.`orders_customer_id` AS `orders_customer_id`,
    `q_4`.`orders_amount` AS `orders_amount`,
    `q_4`.`__ivm_late` AS `__ivm_late`,
    `q_4`.`__ivm_side` AS `__ivm_side`,
    row_number() OVER (
      PARTITION BY `q_4`.`orders_customer_id`, `q_4`.`__ivm_side`
      ORDER BY `q_4`.`orders_amount` DESC, `q_4`.`orders_order_id`
    ) AS `place`
  FROM (
    SELECT
      `q_3`.`orders_order_id` AS `orders_order_id`,
      `q_3`.`orders_customer_id` AS `orders_customer_id`,
      `q_3`.`orders_amount` AS `orders_amount`,
      `q_3`.`__ivm_late` AS `__ivm_late`,
      `q_3`.`__ivm_side` AS `__ivm_side`,
      `q_3`.`__ivm_times` AS `__ivm_times`
    FROM (
      SELECT
        `q_2`.`orders_order_id` AS `orders_order_id`,
        `q_2`.`orders_customer_id` AS `orders_customer_id`,
        `q_2`.`orders_amount` AS `orders_amount`,
        `q_2`.`__ivm_late` AS `__ivm_late`,
        `q_2`.`__ivm_side` AS `__ivm_side`,
        SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
      FROM (
        SELECT
          `orders`.`order_id` AS `orders_order_id`,
          `orders`.`customer_id` AS `orders_customer_id`,
          `orders`.`amount` AS `orders_amount`,
          `orders`.`amount` IS NULL
          OR `q`.`__ivm_first` IS NULL
          OR `orders`.`amount` <= `q`.`__ivm_first` AS `__ivm_late`,
          `generated`.`__ivm_side` AS `__ivm_side`,
          1 AS `__ivm_weight`
        FROM `shop`.`orders` AS `orders`
        JOIN (
          SELECT
            `orders`.`customer_id` AS `__ivm_touched_0`,
            MAX(`orders`.`amount`) AS `__ivm_cut`,
            MAX(`orders`.`amount`) AS `__ivm_first`
          FROM `shop`.`orders_changes` AS `orders`
          GROUP BY
            `orders`.`customer_id`
        ) AS `q`
          ON `orders`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_touched_0`
        LATERAL VIEW
        EXPLODE(array(1, -1)) generated AS `__ivm_side`
        UNION ALL
        SELECT
          `orders`.`order_id` AS `orders_order_id`,
          `orders`.`customer_id` AS `orders_customer_id`,
          `orders`.`amount` AS `orders_amount`,
          TRUE AS `__ivm_late`,
          -1 AS `__ivm_side`,
          -`orders`.`__ivm_weight` AS `__ivm_weight`
        FROM `shop`.`orders_changes` AS `orders`
      ) AS `q_2`
      GROUP BY
        `q_2`.`orders_order_id`,
        `q_2`.`orders_customer_id`,
        `q_2`.`orders_amount`,
        `q_2`.`__ivm_late`,
        `q_2`.`__ivm_side`
    ) AS `q_3`
    WHERE
      `q_3`.`__ivm_times` > 0
  ) AS `q_4`
  LATERAL VIEW
  EXPLODE(array_repeat(0, CAST(`q_4`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`
) AS `q_5`
WHERE
  `q_5`.`__ivm_late`
