-- view
select customer_id, amount, segment from shop.orders full join shop.customers using (customer_id)

-- delta of orders
SELECT
  COALESCE(`q_8`.`orders_customer_id`, `q_9`.`customers_customer_id`) AS `customer_id_2`,
  `q_8`.`orders_amount` AS `amount`,
  `q_9`.`customers_segment` AS `segment`,
  COALESCE(`q_8`.`__ivm_side`, `q_9`.`__ivm_side_right`) AS `__ivm_weight`
FROM (
  SELECT
    `q_5`.`orders_customer_id` AS `orders_customer_id`,
    `q_5`.`orders_amount` AS `orders_amount`,
    `q_5`.`__ivm_side` AS `__ivm_side`
  FROM (
    SELECT
      `q_4`.`orders_customer_id` AS `orders_customer_id`,
      `q_4`.`orders_amount` AS `orders_amount`,
      `q_4`.`__ivm_side` AS `__ivm_side`,
      `q_4`.`__ivm_times` AS `__ivm_times`
    FROM (
      SELECT
        `q_3`.`orders_customer_id` AS `orders_customer_id`,
        `q_3`.`orders_amount` AS `orders_amount`,
        `q_3`.`__ivm_side` AS `__ivm_side`,
        SUM(`q_3`.`__ivm_weight`) AS `__ivm_times`
      FROM (
        SELECT
          `orders`.`customer_id` AS `orders_customer_id`,
          `orders`.`amount` AS `orders_amount`,
          `generated`.`__ivm_side` AS `__ivm_side`,
          1 AS `__ivm_weight`
        FROM `shop`.`orders` AS `orders`
        LEFT SEMI JOIN (
          SELECT DISTINCT
            `q`.`__ivm_touched_0` AS `__ivm_touched_0`
          FROM (
            SELECT
              `orders`.`customer_id` AS `__ivm_touched_0`
            FROM `shop`.`orders_changes` AS `orders`
            UNION ALL
            SELECT
              `customers`.`customer_id` AS `__ivm_touched_0`
            FROM `shop`.`customers` AS `customers`
            WHERE
              FALSE
          ) AS `q`
        ) AS `q_2`
          ON `orders`.`customer_id` IS NOT DISTINCT FROM `q_2`.`__ivm_touched_0`
        LATERAL VIEW
        EXPLODE(array(1, -1)) generated AS `__ivm_side`
        UNION ALL
        SELECT
          `orders`.`customer_id` AS `orders_customer_id`,
          `orders`.`amount` AS `orders_amount`,
          -1 AS `__ivm_side`,
          -`orders`.`__ivm_weight` AS `__ivm_weight`
        FROM `shop`.`orders_changes` AS `orders`
      ) AS `q_3`
      GROUP BY
        `q_3`.`orders_customer_id`,
        `q_3`.`orders_amount`,
        `q_3`.`__ivm_side`
    ) AS `q_4`
    WHERE
      `q_4`.`__ivm_times` > 0
  ) AS `q_5`
  LATERAL VIEW
  EXPLODE(array_repeat(0, CAST(`q_5`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`
) AS `q_8`
FULL JOIN (
  SELECT
    `customers`.`customer_id` AS `customers_customer_id`,
    `customers`.`segment` AS `customers_segment`,
    `generated_3`.`__ivm_side` AS `__ivm_side_right`
  FROM `shop`.`customers` AS `customers`
  LEFT SEMI JOIN (
    SELECT DISTINCT
      `q_6`.`__ivm_touched_0` AS `__ivm_touched_0`
    FROM (
      SELECT
        `orders`.`customer_id` AS `__ivm_touched_0`
      FROM `shop`.`orders_changes` AS `orders`
      UNION ALL
      SELECT
        `customers`.`customer_id` AS `__ivm_touched_0`
      FROM `shop`.`customers` AS `customers`
      WHERE
        FALSE
    ) AS `q_6`
  ) AS `q_7`
    ON `customers`.`customer_id` IS NOT DISTINCT FROM `q_7`.`__ivm_touched_0`
  LATERAL VIEW
  EXPLODE(array(1, -1)) generated_3 AS `__ivm_side`
) AS `q_9`
  ON `q_8`.`orders_customer_id` = `q_9`.`customers_customer_id`
  AND `q_8`.`__ivm_side` = `q_9`.`__ivm_side_right`
