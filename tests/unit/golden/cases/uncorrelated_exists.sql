-- view
select order_id from shop.orders where exists (select 1 from shop.customers)

-- state
SELECT
  `q_2`.`order_id` AS `order_id`,
  xxhash64(`q_2`.`order_id`) AS `__ivm_hash`,
  `q_2`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `orders`.`order_id` AS `order_id`,
    COUNT(*) AS `__ivm_count`
  FROM (
    SELECT
      MAX(1) AS `__ivm_exists_some`
    FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
  ) AS `q`
  CROSS JOIN `shop`.`orders` VERSION AS OF 9 AS `orders`
  WHERE
    NOT `q`.`__ivm_exists_some` IS NULL
  GROUP BY
    `orders`.`order_id`
) AS `q_2`

-- visible
SELECT
  `state`.`order_id` AS `order_id`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- merge of inserts in customers
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_7`.`order_id` AS `order_id`,
  `q_7`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q_7`.`order_id`) AS `__ivm_hash`
FROM (
  SELECT /*+ BROADCAST(`q_6`) */
    `orders`.`order_id` AS `order_id`,
    COALESCE(SUM(`q_6`.`__ivm_times`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `q_5`.`__ivm_exists_some` AS `__ivm_exists_some`,
      SUM(`q_5`.`__ivm_weight`) AS `__ivm_times`
    FROM (
      SELECT
        `q`.`__ivm_exists_some` AS `__ivm_exists_some`,
        1 AS `__ivm_weight`
      FROM (
        SELECT
          MAX(1) AS `__ivm_exists_some`
        FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
      ) AS `q`
      UNION ALL
      SELECT
        `q_4`.`__ivm_exists_some` AS `__ivm_exists_some`,
        -1 AS `__ivm_weight`
      FROM (
        SELECT
          MAX(`q_3`.`__ivm_exists_one`) AS `__ivm_exists_some`
        FROM (
          SELECT
            `q_2`.`__ivm_exists_one` AS `__ivm_exists_one`,
            SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
          FROM (
            SELECT
              1 AS `__ivm_exists_one`,
              1 AS `__ivm_weight`
            FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
            UNION ALL
            SELECT
              1 AS `__ivm_exists_one`,
              -IF(`customers`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
            FROM table_changes('`shop`.`customers`', 8, 9) AS `customers`
          ) AS `q_2`
          GROUP BY
            `q_2`.`__ivm_exists_one`
        ) AS `q_3`
        WHERE
          `q_3`.`__ivm_times` > 0
      ) AS `q_4`
    ) AS `q_5`
    GROUP BY
      `q_5`.`__ivm_exists_some`
  ) AS `q_6`
  CROSS JOIN `shop`.`orders` VERSION AS OF 9 AS `orders`
  WHERE
    `q_6`.`__ivm_times` <> 0 AND NOT `q_6`.`__ivm_exists_some` IS NULL
  GROUP BY
    `orders`.`order_id`
) AS `q_7`
WHERE
  `q_7`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`order_id` IS NOT DISTINCT FROM `s`.`order_id`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `order_id`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`order_id`,
  `s`.`__ivm_hash`
)

-- merge of inserts in orders
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_2`.`order_id` AS `order_id`,
  `q_2`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q_2`.`order_id`) AS `__ivm_hash`
FROM (
  SELECT /*+ BROADCAST(`q`) */
    `orders`.`order_id` AS `order_id`,
    COALESCE(SUM(IF(`orders`.`_change_type` IN ('insert', 'update_postimage'), 1, -1)), 0) AS `__ivm_count`
  FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
  CROSS JOIN (
    SELECT
      MAX(1) AS `__ivm_exists_some`
    FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
  ) AS `q`
  WHERE
    NOT `q`.`__ivm_exists_some` IS NULL
  GROUP BY
    `orders`.`order_id`
) AS `q_2`
WHERE
  `q_2`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`order_id` IS NOT DISTINCT FROM `s`.`order_id`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `order_id`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`order_id`,
  `s`.`__ivm_hash`
)

-- merge of changes in orders
merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_2`.`order_id` AS `order_id`,
  `q_2`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q_2`.`order_id`) AS `__ivm_hash`
FROM (
  SELECT /*+ BROADCAST(`q`) */
    `orders`.`order_id` AS `order_id`,
    COALESCE(SUM(IF(`orders`.`_change_type` IN ('insert', 'update_postimage'), 1, -1)), 0) AS `__ivm_count`
  FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
  CROSS JOIN (
    SELECT
      MAX(1) AS `__ivm_exists_some`
    FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
  ) AS `q`
  WHERE
    NOT `q`.`__ivm_exists_some` IS NULL
  GROUP BY
    `orders`.`order_id`
) AS `q_2`
WHERE
  `q_2`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`order_id` IS NOT DISTINCT FROM `s`.`order_id`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `order_id`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`order_id`,
  `s`.`__ivm_hash`
)
