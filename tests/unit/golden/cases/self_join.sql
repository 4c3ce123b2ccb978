-- view
select a.order_id, b.order_id as other from shop.orders a join shop.orders b on a.customer_id = b.customer_id

-- types
--other bigint

-- state
SELECT
  `q`.`order_id` AS `order_id`,
  `q`.`other` AS `other`,
  xxhash64(`q`.`order_id`, `q`.`other`) AS `__ivm_hash`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `a`.`order_id` AS `order_id`,
    `b`.`order_id` AS `other`,
    COUNT(*) AS `__ivm_count`
  FROM `shop`.`orders` VERSION AS OF 9 AS `a`
  JOIN `shop`.`orders` VERSION AS OF 9 AS `b`
    ON `a`.`customer_id` = `b`.`customer_id`
  GROUP BY
    `a`.`order_id`,
    `b`.`order_id`
) AS `q`

-- visible
SELECT
  `state`.`order_id` AS `order_id`,
  `state`.`other` AS `other`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- merge of inserts in orders
cache table ivm_kept_1 as
SELECT
  `b`.`order_id` AS `b_order_id`,
  `b`.`customer_id` AS `b_customer_id`,
  IF(`b`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
FROM table_changes('`shop`.`orders`', 8, 9) AS `b`;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`order_id` AS `order_id`,
  `q_3`.`other` AS `other`,
  `q_3`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q_3`.`order_id`, `q_3`.`other`) AS `__ivm_hash`
FROM (
  SELECT
    `q_2`.`a_order_id` AS `order_id`,
    `q_2`.`b_order_id` AS `other`,
    COALESCE(SUM(`q_2`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `a`.`order_id` AS `a_order_id`,
      `a`.`customer_id` AS `a_customer_id`,
      `q`.`b_order_id` AS `b_order_id`,
      `q`.`b_customer_id` AS `b_customer_id`,
      (
        IF(`a`.`_change_type` IN ('insert', 'update_postimage'), 1, -1)
      ) * (
        `q`.`__ivm_weight`
      ) AS `__ivm_weight`
    FROM table_changes('`shop`.`orders`', 8, 9) AS `a`
    JOIN (
      SELECT
        `b`.`order_id` AS `b_order_id`,
        `b`.`customer_id` AS `b_customer_id`,
        1 AS `__ivm_weight`
      FROM `shop`.`orders` VERSION AS OF 9 AS `b`
      UNION ALL
      SELECT
        `ivm_kept_1`.`b_order_id` AS `b_order_id`,
        `ivm_kept_1`.`b_customer_id` AS `b_customer_id`,
        -`ivm_kept_1`.`__ivm_weight` AS `__ivm_weight`
      FROM ivm_kept_1 AS `ivm_kept_1`
    ) AS `q`
      ON `a`.`customer_id` = `q`.`b_customer_id`
    UNION ALL
    SELECT
      `a`.`order_id` AS `a_order_id`,
      `a`.`customer_id` AS `a_customer_id`,
      `ivm_kept_1`.`b_order_id` AS `b_order_id`,
      `ivm_kept_1`.`b_customer_id` AS `b_customer_id`,
      `ivm_kept_1`.`__ivm_weight` AS `__ivm_weight`
    FROM ivm_kept_1 AS `ivm_kept_1`
    JOIN `shop`.`orders` VERSION AS OF 9 AS `a`
      ON `a`.`customer_id` = `ivm_kept_1`.`b_customer_id`
  ) AS `q_2`
  GROUP BY
    `q_2`.`a_order_id`,
    `q_2`.`b_order_id`
) AS `q_3`
WHERE
  `q_3`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`order_id` IS NOT DISTINCT FROM `s`.`order_id` AND `t`.`other` IS NOT DISTINCT FROM `s`.`other`
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `order_id`, `other`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`order_id`,
  `s`.`other`,
  `s`.`__ivm_hash`
)

-- merge of changes in orders
cache table ivm_kept_1 as
SELECT
  `b`.`order_id` AS `b_order_id`,
  `b`.`customer_id` AS `b_customer_id`,
  IF(`b`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
FROM table_changes('`shop`.`orders`', 8, 9) AS `b`;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`order_id` AS `order_id`,
  `q_3`.`other` AS `other`,
  `q_3`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q_3`.`order_id`, `q_3`.`other`) AS `__ivm_hash`
FROM (
  SELECT
    `q_2`.`a_order_id` AS `order_id`,
    `q_2`.`b_order_id` AS `other`,
    COALESCE(SUM(`q_2`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `a`.`order_id` AS `a_order_id`,
      `a`.`customer_id` AS `a_customer_id`,
      `q`.`b_order_id` AS `b_order_id`,
      `q`.`b_customer_id` AS `b_customer_id`,
      (
        IF(`a`.`_change_type` IN ('insert', 'update_postimage'), 1, -1)
      ) * (
        `q`.`__ivm_weight`
      ) AS `__ivm_weight`
    FROM table_changes('`shop`.`orders`', 8, 9) AS `a`
    JOIN (
      SELECT
        `b`.`order_id` AS `b_order_id`,
        `b`.`customer_id` AS `b_customer_id`,
        1 AS `__ivm_weight`
      FROM `shop`.`orders` VERSION AS OF 9 AS `b`
      UNION ALL
      SELECT
        `ivm_kept_1`.`b_order_id` AS `b_order_id`,
        `ivm_kept_1`.`b_customer_id` AS `b_customer_id`,
        -`ivm_kept_1`.`__ivm_weight` AS `__ivm_weight`
      FROM ivm_kept_1 AS `ivm_kept_1`
    ) AS `q`
      ON `a`.`customer_id` = `q`.`b_customer_id`
    UNION ALL
    SELECT
      `a`.`order_id` AS `a_order_id`,
      `a`.`customer_id` AS `a_customer_id`,
      `ivm_kept_1`.`b_order_id` AS `b_order_id`,
      `ivm_kept_1`.`b_customer_id` AS `b_customer_id`,
      `ivm_kept_1`.`__ivm_weight` AS `__ivm_weight`
    FROM ivm_kept_1 AS `ivm_kept_1`
    JOIN `shop`.`orders` VERSION AS OF 9 AS `a`
      ON `a`.`customer_id` = `ivm_kept_1`.`b_customer_id`
  ) AS `q_2`
  GROUP BY
    `q_2`.`a_order_id`,
    `q_2`.`b_order_id`
) AS `q_3`
WHERE
  `q_3`.`__ivm_count` <> 0
) as s
on `t`.`__ivm_hash` = `s`.`__ivm_hash` AND `t`.`order_id` IS NOT DISTINCT FROM `s`.`order_id` AND `t`.`other` IS NOT DISTINCT FROM `s`.`other`
when matched and `t`.`__ivm_count` + `s`.`__ivm_count` = 0 then delete
when matched and (`s`.`__ivm_count` <> 0) then update set
  `__ivm_count` = CASE WHEN `t`.`__ivm_count` + `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `t`.`__ivm_count` + `s`.`__ivm_count` END
when not matched and `s`.`__ivm_count` <> 0 then insert (`__ivm_count`, `order_id`, `other`, `__ivm_hash`) values (
  CASE WHEN `s`.`__ivm_count` < 0 THEN CAST(raise_error('ivm: the state does not fit its sources (a negative count); run with --full-refresh') AS BIGINT) ELSE `s`.`__ivm_count` END,
  `s`.`order_id`,
  `s`.`other`,
  `s`.`__ivm_hash`
)
