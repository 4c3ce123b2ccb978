-- view
select orders, count(*) as customers from (select customer_id, count(*) as orders from shop.orders group by 1) t group by orders

-- types
--orders bigint
--customers bigint

-- delta of orders
SELECT
  `q_5`.`orders_2` AS `orders_3`,
  `q_5`.`__ivm_side` AS `__ivm_weight`
FROM (
  SELECT
    `q_4`.`orders_customer_id` AS `customer_id`,
    `q_4`.`__ivm_side` AS `__ivm_side`,
    count(1) AS `orders_2`
  FROM (
    SELECT
      `q_3`.`orders_customer_id` AS `orders_customer_id`,
      `q_3`.`__ivm_side` AS `__ivm_side`,
      `q_3`.`__ivm_times` AS `__ivm_times`
    FROM (
      SELECT
        `q_2`.`orders_customer_id` AS `orders_customer_id`,
        `q_2`.`__ivm_side` AS `__ivm_side`,
        SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
      FROM (
        SELECT
          `orders`.`customer_id` AS `orders_customer_id`,
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
          -1 AS `__ivm_side`,
          -`orders`.`__ivm_weight` AS `__ivm_weight`
        FROM `shop`.`orders_changes` AS `orders`
      ) AS `q_2`
      GROUP BY
        `q_2`.`orders_customer_id`,
        `q_2`.`__ivm_side`
    ) AS `q_3`
    WHERE
      `q_3`.`__ivm_times` > 0
  ) AS `q_4`
  LATERAL VIEW
  EXPLODE(array_repeat(0, CAST(`q_4`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`
  GROUP BY
    `q_4`.`orders_customer_id`,
    `q_4`.`__ivm_side`
) AS `q_5`
