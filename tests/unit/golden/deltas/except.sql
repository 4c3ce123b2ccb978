-- view
select customer_id from shop.customers except select customer_id from shop.orders

-- delta of orders
SELECT
  `q_7`.`customer_id_3` AS `customer_id_3`,
  `q_7`.`__ivm_side` AS `__ivm_weight`
FROM (
  SELECT
    `customers`.`customer_id` AS `customer_id_3`,
    `generated`.`__ivm_side` AS `__ivm_side`
  FROM `shop`.`customers` AS `customers`
  LEFT SEMI JOIN (
    SELECT DISTINCT
      `q`.`__ivm_touched_0` AS `__ivm_touched_0`
    FROM (
      SELECT
        `customers`.`customer_id` AS `__ivm_touched_0`
      FROM `shop`.`customers` AS `customers`
      WHERE
        FALSE
      UNION ALL
      SELECT
        `orders`.`customer_id` AS `__ivm_touched_0`
      FROM `shop`.`orders_changes` AS `orders`
    ) AS `q`
  ) AS `q_2`
    ON `customers`.`customer_id` IS NOT DISTINCT FROM `q_2`.`__ivm_touched_0`
  LATERAL VIEW
  EXPLODE(array(1, -1)) generated AS `__ivm_side`
  EXCEPT
  SELECT
    `q_6`.`customer_id_3` AS `customer_id_3`,
    `q_6`.`__ivm_side` AS `__ivm_side`
  FROM (
    SELECT
      `q_5`.`customer_id_3` AS `customer_id_3`,
      `q_5`.`__ivm_side` AS `__ivm_side`,
      SUM(`q_5`.`__ivm_weight`) AS `__ivm_times`
    FROM (
      SELECT
        `orders`.`customer_id` AS `customer_id_3`,
        `generated_2`.`__ivm_side` AS `__ivm_side`,
        1 AS `__ivm_weight`
      FROM `shop`.`orders` AS `orders`
      LEFT SEMI JOIN (
        SELECT DISTINCT
          `q_3`.`__ivm_touched_0` AS `__ivm_touched_0`
        FROM (
          SELECT
            `customers`.`customer_id` AS `__ivm_touched_0`
          FROM `shop`.`customers` AS `customers`
          WHERE
            FALSE
          UNION ALL
          SELECT
            `orders`.`customer_id` AS `__ivm_touched_0`
          FROM `shop`.`orders_changes` AS `orders`
        ) AS `q_3`
      ) AS `q_4`
        ON `orders`.`customer_id` IS NOT DISTINCT FROM `q_4`.`__ivm_touched_0`
      LATERAL VIEW
      EXPLODE(array(1, -1)) generated_2 AS `__ivm_side`
      UNION ALL
      SELECT
        `orders`.`customer_id` AS `customer_id_3`,
        -1 AS `__ivm_side`,
        -`orders`.`__ivm_weight` AS `__ivm_weight`
      FROM `shop`.`orders_changes` AS `orders`
    ) AS `q_5`
    GROUP BY
      `q_5`.`customer_id_3`,
      `q_5`.`__ivm_side`
  ) AS `q_6`
  WHERE
    `q_6`.`__ivm_times` > 0
) AS `q_7`
