-- view
select orders, count(*) as customers from (select customer_id, count(*) as orders from shop.orders group by 1) t group by orders

-- types
--orders bigint
--customers bigint

-- state
SELECT
  `q_2`.`orders_4` AS `orders_4`,
  `q_2`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `q`.`orders_2` AS `orders_4`,
    COUNT(1) AS `__ivm_count`
  FROM (
    SELECT
      `orders`.`customer_id` AS `customer_id`,
      count(1) AS `orders_2`
    FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
    GROUP BY
      `orders`.`customer_id`
  ) AS `q`
  GROUP BY
    `q`.`orders_2`
) AS `q_2`

-- visible
SELECT
  `state`.`orders_4` AS `orders_5`,
  `state`.`__ivm_count` AS `customers_2`
FROM `shop`.`v__ivm` AS `state`

-- merge of inserts in orders
cache table ivm_materialized_1 as
SELECT
  `orders`.`customer_id` AS `orders_customer_id`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `customer_id`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `orders`;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_5`.`orders_2` AS `orders_4`,
  COALESCE(SUM(`q_5`.`__ivm_side`), 0) AS `__ivm_count`
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
          `ivm_materialized_1`.`orders_customer_id` AS `orders_customer_id`,
          -1 AS `__ivm_side`,
          -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
        FROM ivm_materialized_1 AS `ivm_materialized_1`
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
GROUP BY
  `q_5`.`orders_2`
) as s
on `t`.`orders_4` IS NOT DISTINCT FROM `s`.`orders_4`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `orders_4`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`orders_4`
)

-- merge of changes in orders
cache table ivm_materialized_1 as
SELECT
  `orders`.`customer_id` AS `orders_customer_id`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `customer_id`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `orders`;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_5`.`orders_2` AS `orders_4`,
  COALESCE(SUM(`q_5`.`__ivm_side`), 0) AS `__ivm_count`
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
          `ivm_materialized_1`.`orders_customer_id` AS `orders_customer_id`,
          -1 AS `__ivm_side`,
          -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
        FROM ivm_materialized_1 AS `ivm_materialized_1`
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
GROUP BY
  `q_5`.`orders_2`
) as s
on `t`.`orders_4` IS NOT DISTINCT FROM `s`.`orders_4`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `orders_4`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`orders_4`
)
