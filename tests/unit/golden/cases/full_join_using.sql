-- view
select customer_id, amount, segment from shop.orders full join shop.customers using (customer_id)

-- state
SELECT
  `q`.`customer_id` AS `customer_id`,
  `q`.`amount` AS `amount`,
  `q`.`segment` AS `segment`,
  xxhash64(`q`.`customer_id`, `q`.`amount`, `q`.`segment`) AS `__ivm_hash`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    COALESCE(`orders`.`customer_id`, `customers`.`customer_id`) AS `customer_id`,
    `orders`.`amount` AS `amount`,
    `customers`.`segment` AS `segment`,
    COUNT(*) AS `__ivm_count`
  FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
  FULL JOIN `shop`.`customers` VERSION AS OF 9 AS `customers`
    ON `orders`.`customer_id` = `customers`.`customer_id`
  GROUP BY
    COALESCE(`orders`.`customer_id`, `customers`.`customer_id`),
    `orders`.`amount`,
    `customers`.`segment`
) AS `q`

-- visible
SELECT
  `state`.`customer_id` AS `customer_id`,
  `state`.`amount` AS `amount`,
  `state`.`segment` AS `segment`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- merge of inserts in customers
cache table ivm_kept_1 as
SELECT
  `customers`.`customer_id` AS `customers_customer_id`,
  `customers`.`segment` AS `customers_segment`,
  IF(`customers`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
FROM table_changes('`shop`.`customers`', 8, 9) AS `customers`;

cache table ivm_kept_2 as
SELECT
  `orders`.`customer_id` AS `orders_customer_id`,
  `orders`.`amount` AS `orders_amount`
FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
LEFT SEMI JOIN (
  SELECT DISTINCT
    `q`.`__ivm_touched_0` AS `__ivm_touched_0`
  FROM (
    SELECT
      `orders`.`customer_id` AS `__ivm_touched_0`
    FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
    WHERE
      FALSE
    UNION ALL
    SELECT
      `ivm_kept_1`.`customers_customer_id` AS `__ivm_touched_0`
    FROM ivm_kept_1 AS `ivm_kept_1`
  ) AS `q`
) AS `q_2`
  ON `orders`.`customer_id` IS NOT DISTINCT FROM `q_2`.`__ivm_touched_0`;

cache table ivm_kept_3 as
SELECT
  `customers`.`customer_id` AS `customers_customer_id`,
  `customers`.`segment` AS `customers_segment`
FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
LEFT SEMI JOIN (
  SELECT DISTINCT
    `q`.`__ivm_touched_0` AS `__ivm_touched_0`
  FROM (
    SELECT
      `orders`.`customer_id` AS `__ivm_touched_0`
    FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
    WHERE
      FALSE
    UNION ALL
    SELECT
      `ivm_kept_1`.`customers_customer_id` AS `__ivm_touched_0`
    FROM ivm_kept_1 AS `ivm_kept_1`
  ) AS `q`
) AS `q_2`
  ON `customers`.`customer_id` IS NOT DISTINCT FROM `q_2`.`__ivm_touched_0`;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_6`.`customer_id` AS `customer_id`,
  `q_6`.`amount` AS `amount`,
  `q_6`.`segment` AS `segment`,
  `q_6`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q_6`.`customer_id`, `q_6`.`amount`, `q_6`.`segment`) AS `__ivm_hash`
FROM (
  SELECT
    COALESCE(`q_5`.`orders_customer_id`, `q_5`.`customers_customer_id`) AS `customer_id`,
    `q_5`.`orders_amount` AS `amount`,
    `q_5`.`customers_segment` AS `segment`,
    COALESCE(SUM(`q_5`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `ivm_kept_2`.`orders_customer_id` AS `orders_customer_id`,
      `ivm_kept_2`.`orders_amount` AS `orders_amount`,
      `ivm_kept_3`.`customers_customer_id` AS `customers_customer_id`,
      `ivm_kept_3`.`customers_segment` AS `customers_segment`,
      1 AS `__ivm_weight`
    FROM ivm_kept_2 AS `ivm_kept_2`
    FULL JOIN ivm_kept_3 AS `ivm_kept_3`
      ON `ivm_kept_2`.`orders_customer_id` = `ivm_kept_3`.`customers_customer_id`
    UNION ALL
    SELECT
      `ivm_kept_2`.`orders_customer_id` AS `orders_customer_id`,
      `ivm_kept_2`.`orders_amount` AS `orders_amount`,
      `q_4`.`customers_customer_id` AS `customers_customer_id`,
      `q_4`.`customers_segment` AS `customers_segment`,
      -1 AS `__ivm_weight`
    FROM ivm_kept_2 AS `ivm_kept_2`
    FULL JOIN (
      SELECT
        `q_3`.`customers_customer_id` AS `customers_customer_id`,
        `q_3`.`customers_segment` AS `customers_segment`
      FROM (
        SELECT
          `q_2`.`customers_customer_id` AS `customers_customer_id`,
          `q_2`.`customers_segment` AS `customers_segment`,
          `q_2`.`__ivm_times` AS `__ivm_times`
        FROM (
          SELECT
            `q`.`customers_customer_id` AS `customers_customer_id`,
            `q`.`customers_segment` AS `customers_segment`,
            SUM(`q`.`__ivm_weight`) AS `__ivm_times`
          FROM (
            SELECT
              `ivm_kept_3`.`customers_customer_id` AS `customers_customer_id`,
              `ivm_kept_3`.`customers_segment` AS `customers_segment`,
              1 AS `__ivm_weight`
            FROM ivm_kept_3 AS `ivm_kept_3`
            UNION ALL
            SELECT
              `ivm_kept_1`.`customers_customer_id` AS `customers_customer_id`,
              `ivm_kept_1`.`customers_segment` AS `customers_segment`,
              -`ivm_kept_1`.`__ivm_weight` AS `__ivm_weight`
            FROM ivm_kept_1 AS `ivm_kept_1`
          ) AS `q`
          GROUP BY
            `q`.`customers_customer_id`,
            `q`.`customers_segment`
        ) AS `q_2`
        WHERE
          `q_2`.`__ivm_times` > 0
      ) AS `q_3`
      LATERAL VIEW
      EXPLODE(array_repeat(0, CAST(`q_3`.`__ivm_times` AS INT))) generated AS `__ivm_copy`
    ) AS `q_4`
      ON `ivm_kept_2`.`orders_customer_id` = `q_4`.`customers_customer_id`
  ) AS `q_5`
  GROUP BY
    COALESCE(`q_5`.`orders_customer_id`, `q_5`.`customers_customer_id`),
    `q_5`.`orders_amount`,
    `q_5`.`customers_segment`
) AS `q_6`
WHERE
  `q_6`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id` AND `t`.`amount` IS NOT DISTINCT FROM `s`.`amount` AND `t`.`segment` IS NOT DISTINCT FROM `s`.`segment`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `customer_id`, `amount`, `segment`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`customer_id`,
  `s`.`amount`,
  `s`.`segment`,
  `s`.`__ivm_hash`
)

-- merge of inserts in orders
cache table ivm_kept_1 as
SELECT
  `orders`.`customer_id` AS `orders_customer_id`,
  `orders`.`amount` AS `orders_amount`,
  IF(`orders`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`;

cache table ivm_kept_2 as
SELECT
  `orders`.`customer_id` AS `orders_customer_id`,
  `orders`.`amount` AS `orders_amount`
FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
LEFT SEMI JOIN (
  SELECT DISTINCT
    `q`.`__ivm_touched_0` AS `__ivm_touched_0`
  FROM (
    SELECT
      `ivm_kept_1`.`orders_customer_id` AS `__ivm_touched_0`
    FROM ivm_kept_1 AS `ivm_kept_1`
    UNION ALL
    SELECT
      `customers`.`customer_id` AS `__ivm_touched_0`
    FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
    WHERE
      FALSE
  ) AS `q`
) AS `q_2`
  ON `orders`.`customer_id` IS NOT DISTINCT FROM `q_2`.`__ivm_touched_0`;

cache table ivm_kept_3 as
SELECT
  `customers`.`customer_id` AS `customers_customer_id`,
  `customers`.`segment` AS `customers_segment`
FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
LEFT SEMI JOIN (
  SELECT DISTINCT
    `q`.`__ivm_touched_0` AS `__ivm_touched_0`
  FROM (
    SELECT
      `ivm_kept_1`.`orders_customer_id` AS `__ivm_touched_0`
    FROM ivm_kept_1 AS `ivm_kept_1`
    UNION ALL
    SELECT
      `customers`.`customer_id` AS `__ivm_touched_0`
    FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
    WHERE
      FALSE
  ) AS `q`
) AS `q_2`
  ON `customers`.`customer_id` IS NOT DISTINCT FROM `q_2`.`__ivm_touched_0`;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_6`.`customer_id` AS `customer_id`,
  `q_6`.`amount` AS `amount`,
  `q_6`.`segment` AS `segment`,
  `q_6`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q_6`.`customer_id`, `q_6`.`amount`, `q_6`.`segment`) AS `__ivm_hash`
FROM (
  SELECT
    COALESCE(`q_5`.`orders_customer_id`, `q_5`.`customers_customer_id`) AS `customer_id`,
    `q_5`.`orders_amount` AS `amount`,
    `q_5`.`customers_segment` AS `segment`,
    COALESCE(SUM(`q_5`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `ivm_kept_2`.`orders_customer_id` AS `orders_customer_id`,
      `ivm_kept_2`.`orders_amount` AS `orders_amount`,
      `ivm_kept_3`.`customers_customer_id` AS `customers_customer_id`,
      `ivm_kept_3`.`customers_segment` AS `customers_segment`,
      1 AS `__ivm_weight`
    FROM ivm_kept_2 AS `ivm_kept_2`
    FULL JOIN ivm_kept_3 AS `ivm_kept_3`
      ON `ivm_kept_2`.`orders_customer_id` = `ivm_kept_3`.`customers_customer_id`
    UNION ALL
    SELECT
      `q_4`.`orders_customer_id` AS `orders_customer_id`,
      `q_4`.`orders_amount` AS `orders_amount`,
      `ivm_kept_3`.`customers_customer_id` AS `customers_customer_id`,
      `ivm_kept_3`.`customers_segment` AS `customers_segment`,
      -1 AS `__ivm_weight`
    FROM (
      SELECT
        `q_3`.`orders_customer_id` AS `orders_customer_id`,
        `q_3`.`orders_amount` AS `orders_amount`
      FROM (
        SELECT
          `q_2`.`orders_customer_id` AS `orders_customer_id`,
          `q_2`.`orders_amount` AS `orders_amount`,
          `q_2`.`__ivm_times` AS `__ivm_times`
        FROM (
          SELECT
            `q`.`orders_customer_id` AS `orders_customer_id`,
            `q`.`orders_amount` AS `orders_amount`,
            SUM(`q`.`__ivm_weight`) AS `__ivm_times`
          FROM (
            SELECT
              `ivm_kept_2`.`orders_customer_id` AS `orders_customer_id`,
              `ivm_kept_2`.`orders_amount` AS `orders_amount`,
              1 AS `__ivm_weight`
            FROM ivm_kept_2 AS `ivm_kept_2`
            UNION ALL
            SELECT
              `ivm_kept_1`.`orders_customer_id` AS `orders_customer_id`,
              `ivm_kept_1`.`orders_amount` AS `orders_amount`,
              -`ivm_kept_1`.`__ivm_weight` AS `__ivm_weight`
            FROM ivm_kept_1 AS `ivm_kept_1`
          ) AS `q`
          GROUP BY
            `q`.`orders_customer_id`,
            `q`.`orders_amount`
        ) AS `q_2`
        WHERE
          `q_2`.`__ivm_times` > 0
      ) AS `q_3`
      LATERAL VIEW
      EXPLODE(array_repeat(0, CAST(`q_3`.`__ivm_times` AS INT))) generated AS `__ivm_copy`
    ) AS `q_4`
    FULL JOIN ivm_kept_3 AS `ivm_kept_3`
      ON `q_4`.`orders_customer_id` = `ivm_kept_3`.`customers_customer_id`
  ) AS `q_5`
  GROUP BY
    COALESCE(`q_5`.`orders_customer_id`, `q_5`.`customers_customer_id`),
    `q_5`.`orders_amount`,
    `q_5`.`customers_segment`
) AS `q_6`
WHERE
  `q_6`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id` AND `t`.`amount` IS NOT DISTINCT FROM `s`.`amount` AND `t`.`segment` IS NOT DISTINCT FROM `s`.`segment`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `customer_id`, `amount`, `segment`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`customer_id`,
  `s`.`amount`,
  `s`.`segment`,
  `s`.`__ivm_hash`
)

-- merge of changes in orders
cache table ivm_kept_1 as
SELECT
  `orders`.`customer_id` AS `orders_customer_id`,
  `orders`.`amount` AS `orders_amount`,
  IF(`orders`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`;

cache table ivm_kept_2 as
SELECT
  `orders`.`customer_id` AS `orders_customer_id`,
  `orders`.`amount` AS `orders_amount`
FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
LEFT SEMI JOIN (
  SELECT DISTINCT
    `q`.`__ivm_touched_0` AS `__ivm_touched_0`
  FROM (
    SELECT
      `ivm_kept_1`.`orders_customer_id` AS `__ivm_touched_0`
    FROM ivm_kept_1 AS `ivm_kept_1`
    UNION ALL
    SELECT
      `customers`.`customer_id` AS `__ivm_touched_0`
    FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
    WHERE
      FALSE
  ) AS `q`
) AS `q_2`
  ON `orders`.`customer_id` IS NOT DISTINCT FROM `q_2`.`__ivm_touched_0`;

cache table ivm_kept_3 as
SELECT
  `customers`.`customer_id` AS `customers_customer_id`,
  `customers`.`segment` AS `customers_segment`
FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
LEFT SEMI JOIN (
  SELECT DISTINCT
    `q`.`__ivm_touched_0` AS `__ivm_touched_0`
  FROM (
    SELECT
      `ivm_kept_1`.`orders_customer_id` AS `__ivm_touched_0`
    FROM ivm_kept_1 AS `ivm_kept_1`
    UNION ALL
    SELECT
      `customers`.`customer_id` AS `__ivm_touched_0`
    FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
    WHERE
      FALSE
  ) AS `q`
) AS `q_2`
  ON `customers`.`customer_id` IS NOT DISTINCT FROM `q_2`.`__ivm_touched_0`;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_6`.`customer_id` AS `customer_id`,
  `q_6`.`amount` AS `amount`,
  `q_6`.`segment` AS `segment`,
  `q_6`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q_6`.`customer_id`, `q_6`.`amount`, `q_6`.`segment`) AS `__ivm_hash`
FROM (
  SELECT
    COALESCE(`q_5`.`orders_customer_id`, `q_5`.`customers_customer_id`) AS `customer_id`,
    `q_5`.`orders_amount` AS `amount`,
    `q_5`.`customers_segment` AS `segment`,
    COALESCE(SUM(`q_5`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `ivm_kept_2`.`orders_customer_id` AS `orders_customer_id`,
      `ivm_kept_2`.`orders_amount` AS `orders_amount`,
      `ivm_kept_3`.`customers_customer_id` AS `customers_customer_id`,
      `ivm_kept_3`.`customers_segment` AS `customers_segment`,
      1 AS `__ivm_weight`
    FROM ivm_kept_2 AS `ivm_kept_2`
    FULL JOIN ivm_kept_3 AS `ivm_kept_3`
      ON `ivm_kept_2`.`orders_customer_id` = `ivm_kept_3`.`customers_customer_id`
    UNION ALL
    SELECT
      `q_4`.`orders_customer_id` AS `orders_customer_id`,
      `q_4`.`orders_amount` AS `orders_amount`,
      `ivm_kept_3`.`customers_customer_id` AS `customers_customer_id`,
      `ivm_kept_3`.`customers_segment` AS `customers_segment`,
      -1 AS `__ivm_weight`
    FROM (
      SELECT
        `q_3`.`orders_customer_id` AS `orders_customer_id`,
        `q_3`.`orders_amount` AS `orders_amount`
      FROM (
        SELECT
          `q_2`.`orders_customer_id` AS `orders_customer_id`,
          `q_2`.`orders_amount` AS `orders_amount`,
          `q_2`.`__ivm_times` AS `__ivm_times`
        FROM (
          SELECT
            `q`.`orders_customer_id` AS `orders_customer_id`,
            `q`.`orders_amount` AS `orders_amount`,
            SUM(`q`.`__ivm_weight`) AS `__ivm_times`
          FROM (
            SELECT
              `ivm_kept_2`.`orders_customer_id` AS `orders_customer_id`,
              `ivm_kept_2`.`orders_amount` AS `orders_amount`,
              1 AS `__ivm_weight`
            FROM ivm_kept_2 AS `ivm_kept_2`
            UNION ALL
            SELECT
              `ivm_kept_1`.`orders_customer_id` AS `orders_customer_id`,
              `ivm_kept_1`.`orders_amount` AS `orders_amount`,
              -`ivm_kept_1`.`__ivm_weight` AS `__ivm_weight`
            FROM ivm_kept_1 AS `ivm_kept_1`
          ) AS `q`
          GROUP BY
            `q`.`orders_customer_id`,
            `q`.`orders_amount`
        ) AS `q_2`
        WHERE
          `q_2`.`__ivm_times` > 0
      ) AS `q_3`
      LATERAL VIEW
      EXPLODE(array_repeat(0, CAST(`q_3`.`__ivm_times` AS INT))) generated AS `__ivm_copy`
    ) AS `q_4`
    FULL JOIN ivm_kept_3 AS `ivm_kept_3`
      ON `q_4`.`orders_customer_id` = `ivm_kept_3`.`customers_customer_id`
  ) AS `q_5`
  GROUP BY
    COALESCE(`q_5`.`orders_customer_id`, `q_5`.`customers_customer_id`),
    `q_5`.`orders_amount`,
    `q_5`.`customers_segment`
) AS `q_6`
WHERE
  `q_6`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`customer_id` IS NOT DISTINCT FROM `s`.`customer_id` AND `t`.`amount` IS NOT DISTINCT FROM `s`.`amount` AND `t`.`segment` IS NOT DISTINCT FROM `s`.`segment`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `customer_id`, `amount`, `segment`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`customer_id`,
  `s`.`amount`,
  `s`.`segment`,
  `s`.`__ivm_hash`
)
