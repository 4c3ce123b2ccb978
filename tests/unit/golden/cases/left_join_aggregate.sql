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
    COUNT(*) AS `__ivm_count`
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
  COALESCE(
    SUM(
      CASE
        WHEN NOT `o`.`order_id` IS NULL
        THEN IF(`c`.`_change_type` IN ('insert', 'update_postimage'), 1, -1)
        ELSE 0
      END
    ),
    0
  ) AS `orders`,
  COALESCE(SUM(IF(`c`.`_change_type` IN ('insert', 'update_postimage'), 1, -1)), 0) AS `__ivm_count`
FROM table_changes('`shop`.`customers`', 8, 9) AS `c`
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
cache table ivm_kept_1 as
SELECT
  `o`.`order_id` AS `o_order_id`,
  `o`.`customer_id` AS `o_customer_id`,
  IF(`o`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
FROM table_changes('`shop`.`orders`', 8, 9) AS `o`;

cache table ivm_kept_2 as
SELECT
  `c`.`customer_id` AS `c_customer_id`,
  1 AS `__ivm_weight`
FROM `shop`.`customers` VERSION AS OF 9 AS `c`
LEFT SEMI JOIN (
  SELECT
    `ivm_kept_1`.`o_order_id` AS `o_order_id`,
    `ivm_kept_1`.`o_customer_id` AS `o_customer_id`
  FROM ivm_kept_1 AS `ivm_kept_1`
) AS `q`
  ON `c`.`customer_id` = `q`.`o_customer_id`;

cache table ivm_kept_3 as
SELECT
  `o`.`order_id` AS `o_order_id`,
  `o`.`customer_id` AS `o_customer_id`
FROM `shop`.`orders` VERSION AS OF 9 AS `o`
LEFT SEMI JOIN (
  SELECT DISTINCT
    `ivm_kept_1`.`o_customer_id` AS `__ivm_touched_0`
  FROM ivm_kept_1 AS `ivm_kept_1`
) AS `q`
  ON `o`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_touched_0`;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_5`.`c_customer_id` AS `customer_id`,
  COALESCE(
    SUM(CASE WHEN NOT `q_5`.`o_order_id` IS NULL THEN `q_5`.`__ivm_weight` ELSE 0 END),
    0
  ) AS `orders`,
  COALESCE(SUM(`q_5`.`__ivm_weight`), 0) AS `__ivm_count`
FROM (
  SELECT
    `ivm_kept_2`.`c_customer_id` AS `c_customer_id`,
    `ivm_kept_3`.`o_order_id` AS `o_order_id`,
    `ivm_kept_3`.`o_customer_id` AS `o_customer_id`,
    `ivm_kept_2`.`__ivm_weight` AS `__ivm_weight`
  FROM ivm_kept_2 AS `ivm_kept_2`
  LEFT JOIN ivm_kept_3 AS `ivm_kept_3`
    ON `ivm_kept_2`.`c_customer_id` = `ivm_kept_3`.`o_customer_id`
  UNION ALL
  SELECT
    `ivm_kept_2`.`c_customer_id` AS `c_customer_id`,
    `q_4`.`o_order_id` AS `o_order_id`,
    `q_4`.`o_customer_id` AS `o_customer_id`,
    -`ivm_kept_2`.`__ivm_weight` AS `__ivm_weight`
  FROM ivm_kept_2 AS `ivm_kept_2`
  LEFT JOIN (
    SELECT
      `q_3`.`o_order_id` AS `o_order_id`,
      `q_3`.`o_customer_id` AS `o_customer_id`
    FROM (
      SELECT
        `q_2`.`o_order_id` AS `o_order_id`,
        `q_2`.`o_customer_id` AS `o_customer_id`,
        `q_2`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q`.`o_order_id` AS `o_order_id`,
          `q`.`o_customer_id` AS `o_customer_id`,
          SUM(`q`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `ivm_kept_3`.`o_order_id` AS `o_order_id`,
            `ivm_kept_3`.`o_customer_id` AS `o_customer_id`,
            1 AS `__ivm_weight`
          FROM ivm_kept_3 AS `ivm_kept_3`
          UNION ALL
          SELECT
            `ivm_kept_1`.`o_order_id` AS `o_order_id`,
            `ivm_kept_1`.`o_customer_id` AS `o_customer_id`,
            -`ivm_kept_1`.`__ivm_weight` AS `__ivm_weight`
          FROM ivm_kept_1 AS `ivm_kept_1`
        ) AS `q`
        GROUP BY
          `q`.`o_order_id`,
          `q`.`o_customer_id`
      ) AS `q_2`
      WHERE
        `q_2`.`__ivm_times` > 0
    ) AS `q_3`
    LATERAL VIEW
    EXPLODE(array_repeat(0, CAST(`q_3`.`__ivm_times` AS INT))) generated AS `__ivm_copy`
  ) AS `q_4`
    ON `ivm_kept_2`.`c_customer_id` = `q_4`.`o_customer_id`
) AS `q_5`
GROUP BY
  `q_5`.`c_customer_id`
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
cache table ivm_kept_1 as
SELECT
  `o`.`order_id` AS `o_order_id`,
  `o`.`customer_id` AS `o_customer_id`,
  IF(`o`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
FROM table_changes('`shop`.`orders`', 8, 9) AS `o`;

cache table ivm_kept_2 as
SELECT
  `c`.`customer_id` AS `c_customer_id`,
  1 AS `__ivm_weight`
FROM `shop`.`customers` VERSION AS OF 9 AS `c`
LEFT SEMI JOIN (
  SELECT
    `ivm_kept_1`.`o_order_id` AS `o_order_id`,
    `ivm_kept_1`.`o_customer_id` AS `o_customer_id`
  FROM ivm_kept_1 AS `ivm_kept_1`
) AS `q`
  ON `c`.`customer_id` = `q`.`o_customer_id`;

cache table ivm_kept_3 as
SELECT
  `o`.`order_id` AS `o_order_id`,
  `o`.`customer_id` AS `o_customer_id`
FROM `shop`.`orders` VERSION AS OF 9 AS `o`
LEFT SEMI JOIN (
  SELECT DISTINCT
    `ivm_kept_1`.`o_customer_id` AS `__ivm_touched_0`
  FROM ivm_kept_1 AS `ivm_kept_1`
) AS `q`
  ON `o`.`customer_id` IS NOT DISTINCT FROM `q`.`__ivm_touched_0`;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_5`.`c_customer_id` AS `customer_id`,
  COALESCE(
    SUM(CASE WHEN NOT `q_5`.`o_order_id` IS NULL THEN `q_5`.`__ivm_weight` ELSE 0 END),
    0
  ) AS `orders`,
  COALESCE(SUM(`q_5`.`__ivm_weight`), 0) AS `__ivm_count`
FROM (
  SELECT
    `ivm_kept_2`.`c_customer_id` AS `c_customer_id`,
    `ivm_kept_3`.`o_order_id` AS `o_order_id`,
    `ivm_kept_3`.`o_customer_id` AS `o_customer_id`,
    `ivm_kept_2`.`__ivm_weight` AS `__ivm_weight`
  FROM ivm_kept_2 AS `ivm_kept_2`
  LEFT JOIN ivm_kept_3 AS `ivm_kept_3`
    ON `ivm_kept_2`.`c_customer_id` = `ivm_kept_3`.`o_customer_id`
  UNION ALL
  SELECT
    `ivm_kept_2`.`c_customer_id` AS `c_customer_id`,
    `q_4`.`o_order_id` AS `o_order_id`,
    `q_4`.`o_customer_id` AS `o_customer_id`,
    -`ivm_kept_2`.`__ivm_weight` AS `__ivm_weight`
  FROM ivm_kept_2 AS `ivm_kept_2`
  LEFT JOIN (
    SELECT
      `q_3`.`o_order_id` AS `o_order_id`,
      `q_3`.`o_customer_id` AS `o_customer_id`
    FROM (
      SELECT
        `q_2`.`o_order_id` AS `o_order_id`,
        `q_2`.`o_customer_id` AS `o_customer_id`,
        `q_2`.`__ivm_times` AS `__ivm_times`
      FROM (
        SELECT
          `q`.`o_order_id` AS `o_order_id`,
          `q`.`o_customer_id` AS `o_customer_id`,
          SUM(`q`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `ivm_kept_3`.`o_order_id` AS `o_order_id`,
            `ivm_kept_3`.`o_customer_id` AS `o_customer_id`,
            1 AS `__ivm_weight`
          FROM ivm_kept_3 AS `ivm_kept_3`
          UNION ALL
          SELECT
            `ivm_kept_1`.`o_order_id` AS `o_order_id`,
            `ivm_kept_1`.`o_customer_id` AS `o_customer_id`,
            -`ivm_kept_1`.`__ivm_weight` AS `__ivm_weight`
          FROM ivm_kept_1 AS `ivm_kept_1`
        ) AS `q`
        GROUP BY
          `q`.`o_order_id`,
          `q`.`o_customer_id`
      ) AS `q_2`
      WHERE
        `q_2`.`__ivm_times` > 0
    ) AS `q_3`
    LATERAL VIEW
    EXPLODE(array_repeat(0, CAST(`q_3`.`__ivm_times` AS INT))) generated AS `__ivm_copy`
  ) AS `q_4`
    ON `ivm_kept_2`.`c_customer_id` = `q_4`.`o_customer_id`
) AS `q_5`
GROUP BY
  `q_5`.`c_customer_id`
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
