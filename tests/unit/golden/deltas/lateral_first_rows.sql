-- view
select c.name, l.order_id from shop.customers c, lateral (select o.order_id, o.amount from shop.orders o where o.customer_id = c.customer_id order by o.amount desc limit 2) l

-- delta of orders
SELECT
  `c`.`name` AS `name`,
  `q_5`.`order_id` AS `order_id_2`,
  `q_5`.`__ivm_side` AS `__ivm_weight`
FROM (
  SELECT
    `q_4`.`order_id` AS `order_id`,
    `q_4`.`amount` AS `amount`,
    `q_4`.`o_customer_id` AS `o_customer_id`,
    `q_4`.`__ivm_late` AS `__ivm_late`,
    `q_4`.`__ivm_side` AS `__ivm_side`,
    row_number() OVER (
      PARTITION BY `q_4`.`o_customer_id`, `q_4`.`__ivm_side`
      ORDER BY `q_4`.`amount` DESC, `q_4`.`order_id`
    ) AS `__ivm_lateral_place_0`
  FROM (
    SELECT
      `q_3`.`order_id` AS `order_id`,
      `q_3`.`amount` AS `amount`,
      `q_3`.`o_customer_id` AS `o_customer_id`,
      `q_3`.`__ivm_late` AS `__ivm_late`,
      `q_3`.`__ivm_side` AS `__ivm_side`,
      `q_3`.`__ivm_times` AS `__ivm_times`
    FROM (
      SELECT
        `q_2`.`order_id` AS `order_id`,
        `q_2`.`amount` AS `amount`,
        `q_2`.`o_customer_id` AS `o_customer_id`,
        `q_2`.`__ivm_late` AS `__ivm_late`,
        `q_2`.`__ivm_side` AS `__ivm_side`,
        SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
      FROM (
        SELECT
          `o`.`order_id` AS `order_id`,
          `o`.`amount` AS `amount`,
          `o`.`customer_id` AS `o_customer_id`,
          `o`.`amount` IS NULL
          OR `q`.`__ivm_first` IS NULL
          OR `o`.`amount` <= `q`.`__ivm_first` AS `__ivm_late`,
          `generated`.`__ivm_side` AS `__ivm_side`,
          1 AS `__ivm_weight`
        FROM `shop`.`orders` AS `o`
        JOIN (
          SELECT
            `o`.`customer_id` AS `__ivm_touched_0`,
            MAX(`o`.`amount`) AS `__ivm_cut`,
            MAX(`o`.`amount`) AS `__ivm_first`
          FROM `shop`.`orders_changes` AS `o`
          GROUP BY
            `o`.`customer_id`
        ) AS `q`
          ON `o`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_touched_0`
        LATERAL VIEW
        EXPLODE(array(1, -1)) generated AS `__ivm_side`
        UNION ALL
        SELECT
          `o`.`order_id` AS `order_id`,
          `o`.`amount` AS `amount`,
          `o`.`customer_id` AS `o_customer_id`,
          TRUE AS `__ivm_late`,
          -1 AS `__ivm_side`,
          -`o`.`__ivm_weight` AS `__ivm_weight`
        FROM `shop`.`orders_changes` AS `o`
      ) AS `q_2`
      GROUP BY
        `q_2`.`order_id`,
        `q_2`.`amount`,
        `q_2`.`o_customer_id`,
        `q_2`.`__ivm_late`,
        `q_2`.`__ivm_side`
    ) AS `q_3`
    WHERE
      `q_3`.`__ivm_times` > 0
  ) AS `q_4`
  LATERAL VIEW
  EXPLODE(array_repeat(0, CAST(`q_4`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`
) AS `q_5`
JOIN `shop`.`customers` AS `c`
  ON `q_5`.`o_customer_id` = `c`.`customer_id`
WHERE
  `q_5`.`__ivm_late` AND `q_5`.`__ivm_lateral_place_0` <= 2
