-- view
select c.segment, o.order_id,
  o.amount / sum(o.amount) over (partition by c.segment) as share
from shop.orders o join shop.customers c on o.customer_id = c.customer_id
where o.amount > 0

-- types
share decimal(38,6)

-- delta of orders
SELECT
  `q_4`.`c_segment` AS `segment`,
  `q_4`.`o_order_id` AS `order_id`,
  `q_4`.`o_amount` / sum(`q_4`.`o_amount`) OVER (
    PARTITION BY `q_4`.`c_segment`, `q_4`.`__ivm_side`
    ORDER BY `q_4`.`o_order_id`, `q_4`.`o_customer_id`, `q_4`.`o_amount`, `q_4`.`c_customer_id`
    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
  ) AS `share`,
  `q_4`.`__ivm_side` AS `__ivm_weight`
FROM (
  SELECT
    `q_3`.`o_order_id` AS `o_order_id`,
    `q_3`.`o_customer_id` AS `o_customer_id`,
    `q_3`.`o_amount` AS `o_amount`,
    `q_3`.`c_customer_id` AS `c_customer_id`,
    `q_3`.`c_segment` AS `c_segment`,
    `q_3`.`__ivm_side` AS `__ivm_side`,
    `q_3`.`__ivm_times` AS `__ivm_times`
  FROM (
    SELECT
      `q_2`.`o_order_id` AS `o_order_id`,
      `q_2`.`o_customer_id` AS `o_customer_id`,
      `q_2`.`o_amount` AS `o_amount`,
      `q_2`.`c_customer_id` AS `c_customer_id`,
      `q_2`.`c_segment` AS `c_segment`,
      `q_2`.`__ivm_side` AS `__ivm_side`,
      SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
    FROM (
      SELECT
        `o`.`order_id` AS `o_order_id`,
        `o`.`customer_id` AS `o_customer_id`,
        `o`.`amount` AS `o_amount`,
        `c`.`customer_id` AS `c_customer_id`,
        `c`.`segment` AS `c_segment`,
        `generated`.`__ivm_side` AS `__ivm_side`,
        1 AS `__ivm_weight`
      FROM `shop`.`orders` AS `o`
      JOIN `shop`.`customers` AS `c`
        ON `o`.`customer_id` = `c`.`customer_id` AND `o`.`amount` > 0
      LEFT SEMI JOIN (
        SELECT DISTINCT
          `c`.`segment` AS `__ivm_touched_0`
        FROM `shop`.`orders_changes` AS `o`
        JOIN `shop`.`customers` AS `c`
          ON `o`.`customer_id` = `c`.`customer_id` AND `o`.`amount` > 0
      ) AS `q`
        ON `c`.`segment` IS NOT DISTINCT FROM `q`.`__ivm_touched_0`
      LATERAL VIEW
      EXPLODE(array(1, -1)) generated AS `__ivm_side`
      UNION ALL
      SELECT
        `o`.`order_id` AS `o_order_id`,
        `o`.`customer_id` AS `o_customer_id`,
        `o`.`amount` AS `o_amount`,
        `c`.`customer_id` AS `c_customer_id`,
        `c`.`segment` AS `c_segment`,
        -1 AS `__ivm_side`,
        -`o`.`__ivm_weight` AS `__ivm_weight`
      FROM `shop`.`orders_changes` AS `o`
      JOIN `shop`.`customers` AS `c`
        ON `o`.`customer_id` = `c`.`customer_id` AND `o`.`amount` > 0
    ) AS `q_2`
    GROUP BY
      `q_2`.`o_order_id`,
      `q_2`.`o_customer_id`,
      `q_2`.`o_amount`,
      `q_2`.`c_customer_id`,
      `q_2`.`c_segment`,
      `q_2`.`__ivm_side`
  ) AS `q_3`
  WHERE
    `q_3`.`__ivm_times` > 0
) AS `q_4`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`q_4`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`
