-- view
select customer_id, island, count(*) as n from (
  select customer_id, sum(is_new) over (partition by customer_id order by order_id) as island from (
    select customer_id, order_id,
      case when order_id - lag(order_id) over w > 1 then 1 else 0 end as is_new
    from shop.orders window w as (partition by customer_id order by order_id)
  )
) group by customer_id, island

-- types
island bigint
n bigint

-- delta of orders
SELECT
  `q_6`.`customer_id` AS `customer_id_2`,
  last_value(`q_6`.`__ivm_each_island`) OVER (
    PARTITION BY `q_6`.`customer_id`, `q_6`.`order_id`, `q_6`.`__ivm_side`
    ORDER BY `q_6`.`is_new`
    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
  ) AS `island_2`,
  `q_6`.`__ivm_side` AS `__ivm_weight`
FROM (
  SELECT
    `q_5`.`customer_id` AS `customer_id`,
    `q_5`.`order_id` AS `order_id`,
    `q_5`.`is_new` AS `is_new`,
    `q_5`.`__ivm_side` AS `__ivm_side`,
    sum(`q_5`.`is_new`) OVER (
      PARTITION BY `q_5`.`customer_id`, `q_5`.`__ivm_side`
      ORDER BY `q_5`.`order_id`, `q_5`.`is_new`
    ) AS `__ivm_each_island`
  FROM (
    SELECT
      `q_4`.`orders_customer_id` AS `customer_id`,
      `q_4`.`orders_order_id` AS `order_id`,
      CASE
        WHEN `q_4`.`orders_order_id` - lag(`q_4`.`orders_order_id`) OVER (
          PARTITION BY `q_4`.`orders_customer_id`, `q_4`.`__ivm_side`
          ORDER BY `q_4`.`orders_order_id`
        ) > 1
        THEN 1
        ELSE 0
      END AS `is_new`,
      `q_4`.`__ivm_side` AS `__ivm_side`
    FROM (
      SELECT
        `q_3`.`orders_order_id` AS `orders_order_id`,
        `q_3`.`orders_customer_id` AS `orders_customer_id`,
        `q_3`.`__ivm_side` AS `__ivm_side`,
        `q_3`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q_2`.`orders_order_id` AS `orders_order_id`,
          `q_2`.`orders_customer_id` AS `orders_customer_id`,
          `q_2`.`__ivm_side` AS `__ivm_side`,
          SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `orders`.`order_id` AS `orders_order_id`,
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
            `orders`.`order_id` AS `orders_order_id`,
            `orders`.`customer_id` AS `orders_customer_id`,
            -1 AS `__ivm_side`,
            -`orders`.`__ivm_weight` AS `__ivm_weight`
          FROM `shop`.`orders_changes` AS `orders`
        ) AS `q_2`
        GROUP BY
          `q_2`.`orders_order_id`,
          `q_2`.`orders_customer_id`,
          `q_2`.`__ivm_side`
      ) AS `q_3`
      WHERE
        `q_3`.`__ivm_times` > 0
    ) AS `q_4`
    LATERAL VIEW
    EXPLODE(array_repeat(0, CAST(`q_4`.`__ivm_times` AS INT))) generated_2 AS `__ivm_copy`
  ) AS `q_5`
) AS `q_6`
