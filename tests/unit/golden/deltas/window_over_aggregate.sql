-- view
select customer_id, ordered_on, sum(amount) as total,
  rank() over (partition by customer_id order by sum(amount) desc) as place,
  sum(sum(amount)) over (partition by customer_id order by ordered_on) as so_far
from shop.orders group by customer_id, ordered_on

-- types
ordered_on date
total decimal(22,2)
place int
so_far decimal(32,2)

-- delta of orders
SELECT
  `q_5`.`customer_id` AS `customer_id_2`,
  `q_5`.`ordered_on` AS `ordered_on_2`,
  `q_5`.`total` AS `total_2`,
  rank() OVER (PARTITION BY `q_5`.`customer_id`, `q_5`.`__ivm_side` ORDER BY `q_5`.`total` DESC) AS `place_2`,
  sum(`q_5`.`total`) OVER (PARTITION BY `q_5`.`customer_id`, `q_5`.`__ivm_side` ORDER BY `q_5`.`ordered_on`) AS `so_far_2`,
  `q_5`.`__ivm_side` AS `__ivm_weight`
FROM (
  SELECT
    `q_4`.`orders_customer_id` AS `customer_id`,
    `q_4`.`orders_ordered_on` AS `ordered_on`,
    `q_4`.`__ivm_side` AS `__ivm_side`,
    sum(`q_4`.`orders_amount`) AS `total`
  FROM (
    SELECT
      `q_3`.`orders_customer_id` AS `orders_customer_id`,
      `q_3`.`orders_ordered_on` AS `orders_ordered_on`,
      `q_3`.`orders_amount` AS `orders_amount`,
      `q_3`.`__ivm_side` AS `__ivm_side`,
      `q_3`.`__ivm_times` AS `__ivm_times`
    FROM (
      SELECT
        `q_2`.`orders_customer_id` AS `orders_customer_id`,
        `q_2`.`orders_ordered_on` AS `orders_ordered_on`,
        `q_2`.`orders_amount` AS `orders_amount`,
        `q_2`.`__ivm_side` AS `__ivm_side`,
        SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
      FROM (
        SELECT
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
        ) AS `q`
          ON `orders`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_touched_0`
        LATERAL VIEW
        EXPLODE(array(1, -1)) generated AS `__ivm_side`
        UNION ALL
        SELECT
          `orders`.`customer_id` AS `orders_customer_id`,
          `orders`.`ordered_on` AS `orders_ordered_on`,
          `orders`.`amount` AS `orders_amount`,
          -1 AS `__ivm_side`,
          -`orders`.`__ivm_weight` AS `__ivm_weight`
        FROM `shop`.`orders_changes` AS `orders`
      ) AS `q_2`
      GROUP BY
        `q_2`.`orders_customer_id`,
        `q_2`.`orders_ordered_on`,
        `q_2`.`orders_amount`,
        `q_2`.`__ivm_side`
    ) AS `q_3`
    WHERE
      `q_3`.`__ivm_times` > 0
  ) AS `q_4`
  LATERAL VIEW
  EXPLODE(array_repeat(0, CAST(`q_4`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`
  GROUP BY
    `q_4`.`orders_customer_id`,
    `q_4`.`orders_ordered_on`,
    `q_4`.`__ivm_side`
) AS `q_5`
