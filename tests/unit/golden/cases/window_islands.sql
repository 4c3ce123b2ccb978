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

-- state
SELECT
  `q_4`.`customer_id_3` AS `customer_id_3`,
  `q_4`.`island_3` AS `island_3`,
  `q_4`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q_3`.`customer_id_2` AS `customer_id_3`,
    `q_3`.`island_2` AS `island_3`,
    COUNT(1) AS `__ivm_count`
  FROM (
    SELECT
      `q_2`.`customer_id` AS `customer_id_2`,
      last_value(`q_2`.`__ivm_each_island`) OVER (
        PARTITION BY `q_2`.`customer_id`, `q_2`.`order_id`
        ORDER BY `q_2`.`is_new`
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
      ) AS `island_2`
    FROM (
      SELECT
        `q`.`customer_id` AS `customer_id`,
        `q`.`order_id` AS `order_id`,
        `q`.`is_new` AS `is_new`,
        sum(`q`.`is_new`) OVER (PARTITION BY `q`.`customer_id` ORDER BY `q`.`order_id`, `q`.`is_new`) AS `__ivm_each_island`
      FROM (
        SELECT
          `orders`.`customer_id` AS `customer_id`,
          `orders`.`order_id` AS `order_id`,
          CASE
            WHEN `orders`.`order_id` - lag(`orders`.`order_id`) OVER (PARTITION BY `orders`.`customer_id` ORDER BY `orders`.`order_id`) > 1
            THEN 1
            ELSE 0
          END AS `is_new`
        FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
      ) AS `q`
    ) AS `q_2`
  ) AS `q_3`
  GROUP BY
    `q_3`.`customer_id_2`,
    `q_3`.`island_2`
) AS `q_4`

-- visible
SELECT
  `state`.`customer_id_3` AS `customer_id_4`,
  `state`.`island_3` AS `island_4`,
  `state`.`__ivm_count` AS `n_2`
FROM `shop`.`v__ivm` AS `state`

-- merge of inserts in orders
cache table ivm_materialized_1 as
SELECT
  `orders`.`order_id` AS `orders_order_id`,
  `orders`.`customer_id` AS `orders_customer_id`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `order_id`,
    `customer_id`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `orders`;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_7`.`customer_id_2` AS `customer_id_3`,
  `q_7`.`island_2` AS `island_3`,
  COALESCE(SUM(`q_7`.`__ivm_weight`), 0) AS `__ivm_count`
FROM (
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
            FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
            LEFT SEMI JOIN (
              SELECT DISTINCT
                `ivm_materialized_1`.`orders_customer_id` AS `__ivm_touched_0`
              FROM ivm_materialized_1 AS `ivm_materialized_1`
            ) AS `q`
              ON `orders`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_touched_0`
            LATERAL VIEW
            EXPLODE(array(1, -1)) generated AS `__ivm_side`
            UNION ALL
            SELECT
              `ivm_materialized_1`.`orders_order_id` AS `orders_order_id`,
              `ivm_materialized_1`.`orders_customer_id` AS `orders_customer_id`,
              -1 AS `__ivm_side`,
              -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
            FROM ivm_materialized_1 AS `ivm_materialized_1`
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
) AS `q_7`
GROUP BY
  `q_7`.`customer_id_2`,
  `q_7`.`island_2`
) as s
on `t`.`customer_id_3` IS NOT DISTINCT FROM `s`.`customer_id_3` AND `t`.`island_3` IS NOT DISTINCT FROM `s`.`island_3`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `customer_id_3`, `island_3`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`customer_id_3`,
  `s`.`island_3`
)

-- merge of changes in orders
cache table ivm_materialized_1 as
SELECT
  `orders`.`order_id` AS `orders_order_id`,
  `orders`.`customer_id` AS `orders_customer_id`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `order_id`,
    `customer_id`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `orders`;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_7`.`customer_id_2` AS `customer_id_3`,
  `q_7`.`island_2` AS `island_3`,
  COALESCE(SUM(`q_7`.`__ivm_weight`), 0) AS `__ivm_count`
FROM (
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
            FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
            LEFT SEMI JOIN (
              SELECT DISTINCT
                `ivm_materialized_1`.`orders_customer_id` AS `__ivm_touched_0`
              FROM ivm_materialized_1 AS `ivm_materialized_1`
            ) AS `q`
              ON `orders`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_touched_0`
            LATERAL VIEW
            EXPLODE(array(1, -1)) generated AS `__ivm_side`
            UNION ALL
            SELECT
              `ivm_materialized_1`.`orders_order_id` AS `orders_order_id`,
              `ivm_materialized_1`.`orders_customer_id` AS `orders_customer_id`,
              -1 AS `__ivm_side`,
              -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
            FROM ivm_materialized_1 AS `ivm_materialized_1`
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
) AS `q_7`
GROUP BY
  `q_7`.`customer_id_2`,
  `q_7`.`island_2`
) as s
on `t`.`customer_id_3` IS NOT DISTINCT FROM `s`.`customer_id_3` AND `t`.`island_3` IS NOT DISTINCT FROM `s`.`island_3`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `customer_id_3`, `island_3`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`customer_id_3`,
  `s`.`island_3`
)
