-- view
select c.customer_id, count(o.order_id) as orders from shop.customers c left join shop.orders o using (customer_id) group by 1

-- types
--orders bigint

-- state
SELECT
  `q`.`customer_id` AS `customer_id`,
  `q`.`orders` AS `orders`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `c`.`customer_id` AS `customer_id`,
    COUNT(`o`.`order_id`) AS `orders`,
    COUNT(1) AS `__ivm_count`
  FROM `shop`.`customers` VERSION AS OF 9 AS `c`
  LEFT JOIN `shop`.`orders` VERSION AS OF 9 AS `o`
    ON `c`.`customer_id` = `o`.`customer_id`
  GROUP BY
    `c`.`customer_id`
) AS `q`

-- visible
SELECT
  `state`.`customer_id` AS `customer_id_2`,
  `state`.`orders` AS `orders_2`
FROM `shop`.`v__ivm` AS `state`

-- merge of inserts in customers
merge into `shop`.`v__ivm` as t
using (
SELECT
  `c`.`customer_id` AS `customer_id`,
  COALESCE(SUM(CASE WHEN NOT `o`.`order_id` IS NULL THEN `c`.`__ivm_weight` ELSE 0 END), 0) AS `orders`,
  COALESCE(SUM(`c`.`__ivm_weight`), 0) AS `__ivm_count`
FROM (
  SELECT
    `customer_id`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`customers`', 8, 9)
) AS `c`
LEFT JOIN `shop`.`orders` VERSION AS OF 9 AS `o`
  ON `c`.`customer_id` = `o`.`customer_id`
GROUP BY
  `c`.`customer_id`
) as s
on `t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0 OR `s`.`orders` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END,
  `orders` = CASE WHEN `t`.`orders` + `s`.`orders` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`orders` + `s`.`orders` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `orders`, `customer_id`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`orders`,
  `s`.`customer_id`
)

-- merge of inserts in orders
cache table ivm_materialized_1 as
SELECT
  `o`.`order_id` AS `o_order_id`,
  `o`.`customer_id` AS `o_customer_id`,
  `o`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `order_id`,
    `customer_id`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `o`;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_6`.`c_customer_id` AS `customer_id`,
  COALESCE(
    SUM(
      CASE
        WHEN NOT `q_7`.`o_order_id` IS NULL
        THEN `q_6`.`__ivm_weight` * `q_6`.`__ivm_kept_side`
        ELSE 0
      END
    ),
    0
  ) AS `orders`,
  COALESCE(SUM(`q_6`.`__ivm_weight` * `q_6`.`__ivm_kept_side`), 0) AS `__ivm_count`
FROM (
  SELECT
    `c`.`customer_id` AS `c_customer_id`,
    `generated`.`__ivm_kept_side` AS `__ivm_kept_side`,
    1 AS `__ivm_weight`
  FROM `shop`.`customers` VERSION AS OF 9 AS `c`
  LEFT SEMI JOIN (
    SELECT
      `ivm_materialized_1`.`o_order_id` AS `o_order_id`,
      `ivm_materialized_1`.`o_customer_id` AS `o_customer_id`
    FROM ivm_materialized_1 AS `ivm_materialized_1`
  ) AS `q`
    ON `c`.`customer_id` = `q`.`o_customer_id`
  LATERAL VIEW
  EXPLODE(array(1, -1)) generated AS `__ivm_kept_side`
) AS `q_6`
LEFT JOIN (
  SELECT
    `q_5`.`o_order_id` AS `o_order_id`,
    `q_5`.`o_customer_id` AS `o_customer_id`,
    `q_5`.`__ivm_side` AS `__ivm_side`
  FROM (
    SELECT
      `q_4`.`o_order_id` AS `o_order_id`,
      `q_4`.`o_customer_id` AS `o_customer_id`,
      `q_4`.`__ivm_side` AS `__ivm_side`,
      `q_4`.`__ivm_times` AS `__ivm_times`
    FROM (
      SELECT
        `q_3`.`o_order_id` AS `o_order_id`,
        `q_3`.`o_customer_id` AS `o_customer_id`,
        `q_3`.`__ivm_side` AS `__ivm_side`,
        SUM(`q_3`.`__ivm_weight`) AS `__ivm_times`
      FROM (
        SELECT
          `o`.`order_id` AS `o_order_id`,
          `o`.`customer_id` AS `o_customer_id`,
          `generated_2`.`__ivm_side` AS `__ivm_side`,
          1 AS `__ivm_weight`
        FROM `shop`.`orders` VERSION AS OF 9 AS `o`
        LEFT SEMI JOIN (
          SELECT DISTINCT
            `ivm_materialized_1`.`o_customer_id` AS `__ivm_touched_0`
          FROM ivm_materialized_1 AS `ivm_materialized_1`
        ) AS `q_2`
          ON `o`.`customer_id` IS NOT DISTINCT FROM `q_2`.`__ivm_touched_0`
        LATERAL VIEW
        EXPLODE(array(1, -1)) generated_2 AS `__ivm_side`
        UNION ALL
        SELECT
          `ivm_materialized_1`.`o_order_id` AS `o_order_id`,
          `ivm_materialized_1`.`o_customer_id` AS `o_customer_id`,
          -1 AS `__ivm_side`,
          -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
        FROM ivm_materialized_1 AS `ivm_materialized_1`
      ) AS `q_3`
      GROUP BY
        `q_3`.`o_order_id`,
        `q_3`.`o_customer_id`,
        `q_3`.`__ivm_side`
    ) AS `q_4`
    WHERE
      `q_4`.`__ivm_times` > 0
  ) AS `q_5`
  LATERAL VIEW
  EXPLODE(array_repeat(0, CAST(`q_5`.`__ivm_times` AS INT))) generated_3 AS `__ivm_copy`
) AS `q_7`
  ON `q_6`.`c_customer_id` = `q_7`.`o_customer_id`
  AND `q_6`.`__ivm_kept_side` = `q_7`.`__ivm_side`
GROUP BY
  `q_6`.`c_customer_id`
) as s
on `t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0 OR `s`.`orders` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END,
  `orders` = CASE WHEN `t`.`orders` + `s`.`orders` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`orders` + `s`.`orders` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `orders`, `customer_id`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`orders`,
  `s`.`customer_id`
)

-- merge of changes in orders
cache table ivm_materialized_1 as
SELECT
  `o`.`order_id` AS `o_order_id`,
  `o`.`customer_id` AS `o_customer_id`,
  `o`.`__ivm_weight` AS `__ivm_weight`
FROM (
  SELECT
    `order_id`,
    `customer_id`,
    IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
  FROM table_changes('`shop`.`orders`', 8, 9)
) AS `o`;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_6`.`c_customer_id` AS `customer_id`,
  COALESCE(
    SUM(
      CASE
        WHEN NOT `q_7`.`o_order_id` IS NULL
        THEN `q_6`.`__ivm_weight` * `q_6`.`__ivm_kept_side`
        ELSE 0
      END
    ),
    0
  ) AS `orders`,
  COALESCE(SUM(`q_6`.`__ivm_weight` * `q_6`.`__ivm_kept_side`), 0) AS `__ivm_count`
FROM (
  SELECT
    `c`.`customer_id` AS `c_customer_id`,
    `generated`.`__ivm_kept_side` AS `__ivm_kept_side`,
    1 AS `__ivm_weight`
  FROM `shop`.`customers` VERSION AS OF 9 AS `c`
  LEFT SEMI JOIN (
    SELECT
      `ivm_materialized_1`.`o_order_id` AS `o_order_id`,
      `ivm_materialized_1`.`o_customer_id` AS `o_customer_id`
    FROM ivm_materialized_1 AS `ivm_materialized_1`
  ) AS `q`
    ON `c`.`customer_id` = `q`.`o_customer_id`
  LATERAL VIEW
  EXPLODE(array(1, -1)) generated AS `__ivm_kept_side`
) AS `q_6`
LEFT JOIN (
  SELECT
    `q_5`.`o_order_id` AS `o_order_id`,
    `q_5`.`o_customer_id` AS `o_customer_id`,
    `q_5`.`__ivm_side` AS `__ivm_side`
  FROM (
    SELECT
      `q_4`.`o_order_id` AS `o_order_id`,
      `q_4`.`o_customer_id` AS `o_customer_id`,
      `q_4`.`__ivm_side` AS `__ivm_side`,
      `q_4`.`__ivm_times` AS `__ivm_times`
    FROM (
      SELECT
        `q_3`.`o_order_id` AS `o_order_id`,
        `q_3`.`o_customer_id` AS `o_customer_id`,
        `q_3`.`__ivm_side` AS `__ivm_side`,
        SUM(`q_3`.`__ivm_weight`) AS `__ivm_times`
      FROM (
        SELECT
          `o`.`order_id` AS `o_order_id`,
          `o`.`customer_id` AS `o_customer_id`,
          `generated_2`.`__ivm_side` AS `__ivm_side`,
          1 AS `__ivm_weight`
        FROM `shop`.`orders` VERSION AS OF 9 AS `o`
        LEFT SEMI JOIN (
          SELECT DISTINCT
            `ivm_materialized_1`.`o_customer_id` AS `__ivm_touched_0`
          FROM ivm_materialized_1 AS `ivm_materialized_1`
        ) AS `q_2`
          ON `o`.`customer_id` IS NOT DISTINCT FROM `q_2`.`__ivm_touched_0`
        LATERAL VIEW
        EXPLODE(array(1, -1)) generated_2 AS `__ivm_side`
        UNION ALL
        SELECT
          `ivm_materialized_1`.`o_order_id` AS `o_order_id`,
          `ivm_materialized_1`.`o_customer_id` AS `o_customer_id`,
          -1 AS `__ivm_side`,
          -`ivm_materialized_1`.`__ivm_weight` AS `__ivm_weight`
        FROM ivm_materialized_1 AS `ivm_materialized_1`
      ) AS `q_3`
      GROUP BY
        `q_3`.`o_order_id`,
        `q_3`.`o_customer_id`,
        `q_3`.`__ivm_side`
    ) AS `q_4`
    WHERE
      `q_4`.`__ivm_times` > 0
  ) AS `q_5`
  LATERAL VIEW
  EXPLODE(array_repeat(0, CAST(`q_5`.`__ivm_times` AS INT))) generated_3 AS `__ivm_copy`
) AS `q_7`
  ON `q_6`.`c_customer_id` = `q_7`.`o_customer_id`
  AND `q_6`.`__ivm_kept_side` = `q_7`.`__ivm_side`
GROUP BY
  `q_6`.`c_customer_id`
) as s
on `t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0 OR `s`.`orders` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END,
  `orders` = CASE WHEN `t`.`orders` + `s`.`orders` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`orders` + `s`.`orders` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `orders`, `customer_id`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`orders`,
  `s`.`customer_id`
)
