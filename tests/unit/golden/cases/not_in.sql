-- view
select order_id from shop.orders where customer_id not in (select customer_id from shop.customers)

-- state
SELECT
  `q_2`.`order_id` AS `order_id`,
  xxhash64(`q_2`.`order_id`) AS `__ivm_hash`,
  `q_2`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `orders`.`order_id` AS `order_id`,
    COUNT(*) AS `__ivm_count`
  FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
  LEFT ANTI JOIN (
    SELECT
      `customers`.`customer_id` AS `customer_id`
    FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
  ) AS `q`
    ON (
      (
        `orders`.`customer_id` = `q`.`customer_id`
      )
      OR (
        `orders`.`customer_id` = `q`.`customer_id`
      ) IS NULL
    )
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
  `q_16`.`order_id` AS `order_id`,
  `q_16`.`__ivm_count` AS `__ivm_count`,
  xxhash64(`q_16`.`order_id`) AS `__ivm_hash`
FROM (
  SELECT
    `q_15`.`orders_order_id` AS `order_id`,
    COALESCE(SUM(`q_15`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `q_5`.`orders_order_id` AS `orders_order_id`,
      `q_5`.`orders_customer_id` AS `orders_customer_id`,
      `q_5`.`__ivm_weight` AS `__ivm_weight`
    FROM (
      SELECT
        `orders`.`order_id` AS `orders_order_id`,
        `orders`.`customer_id` AS `orders_customer_id`,
        1 AS `__ivm_weight`
      FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
      LEFT SEMI JOIN (
        SELECT
          `customers`.`customer_id` AS `customer_id`
        FROM table_changes('`shop`.`customers`', 8, 9) AS `customers`
      ) AS `q`
        ON `orders`.`customer_id` = `q`.`customer_id`
      UNION ALL
      SELECT
        `orders`.`order_id` AS `orders_order_id`,
        `orders`.`customer_id` AS `orders_customer_id`,
        1 AS `__ivm_weight`
      FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
      LEFT SEMI JOIN (
        SELECT
          `customers`.`customer_id` AS `customer_id`
        FROM table_changes('`shop`.`customers`', 8, 9) AS `customers`
      ) AS `q_2`
        ON TRUE
      WHERE
        (
          `orders`.`customer_id`
        ) IS NULL
      UNION ALL
      SELECT
        `orders`.`order_id` AS `orders_order_id`,
        `orders`.`customer_id` AS `orders_customer_id`,
        1 AS `__ivm_weight`
      FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
      LEFT ANTI JOIN (
        SELECT
          `customers`.`customer_id` AS `customer_id`
        FROM table_changes('`shop`.`customers`', 8, 9) AS `customers`
      ) AS `q_3`
        ON `orders`.`customer_id` = `q_3`.`customer_id`
      LEFT SEMI JOIN (
        SELECT
          `customers`.`customer_id` AS `customer_id`
        FROM table_changes('`shop`.`customers`', 8, 9) AS `customers`
        WHERE
          (
            `customers`.`customer_id`
          ) IS NULL
      ) AS `q_4`
        ON TRUE
      WHERE
        NOT (
          `orders`.`customer_id`
        ) IS NULL
    ) AS `q_5`
    LEFT ANTI JOIN (
      SELECT
        `customers`.`customer_id` AS `customer_id`
      FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
    ) AS `q_6`
      ON (
        (
          `q_5`.`orders_customer_id` = `q_6`.`customer_id`
        )
        OR (
          `q_5`.`orders_customer_id` = `q_6`.`customer_id`
        ) IS NULL
      )
    UNION ALL
    SELECT
      `q_11`.`orders_order_id` AS `orders_order_id`,
      `q_11`.`orders_customer_id` AS `orders_customer_id`,
      -`q_11`.`__ivm_weight` AS `__ivm_weight`
    FROM (
      SELECT
        `orders`.`order_id` AS `orders_order_id`,
        `orders`.`customer_id` AS `orders_customer_id`,
        1 AS `__ivm_weight`
      FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
      LEFT SEMI JOIN (
        SELECT
          `customers`.`customer_id` AS `customer_id`
        FROM table_changes('`shop`.`customers`', 8, 9) AS `customers`
      ) AS `q_7`
        ON `orders`.`customer_id` = `q_7`.`customer_id`
      UNION ALL
      SELECT
        `orders`.`order_id` AS `orders_order_id`,
        `orders`.`customer_id` AS `orders_customer_id`,
        1 AS `__ivm_weight`
      FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
      LEFT SEMI JOIN (
        SELECT
          `customers`.`customer_id` AS `customer_id`
        FROM table_changes('`shop`.`customers`', 8, 9) AS `customers`
      ) AS `q_8`
        ON TRUE
      WHERE
        (
          `orders`.`customer_id`
        ) IS NULL
      UNION ALL
      SELECT
        `orders`.`order_id` AS `orders_order_id`,
        `orders`.`customer_id` AS `orders_customer_id`,
        1 AS `__ivm_weight`
      FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
      LEFT ANTI JOIN (
        SELECT
          `customers`.`customer_id` AS `customer_id`
        FROM table_changes('`shop`.`customers`', 8, 9) AS `customers`
      ) AS `q_9`
        ON `orders`.`customer_id` = `q_9`.`customer_id`
      LEFT SEMI JOIN (
        SELECT
          `customers`.`customer_id` AS `customer_id`
        FROM table_changes('`shop`.`customers`', 8, 9) AS `customers`
        WHERE
          (
            `customers`.`customer_id`
          ) IS NULL
      ) AS `q_10`
        ON TRUE
      WHERE
        NOT (
          `orders`.`customer_id`
        ) IS NULL
    ) AS `q_11`
    LEFT ANTI JOIN (
      SELECT
        `q_13`.`customer_id` AS `customer_id`
      FROM (
        SELECT
          `q_12`.`customer_id` AS `customer_id`,
          SUM(`q_12`.`__ivm_weight`) AS `__ivm_times`
        FROM (
          SELECT
            `customers`.`customer_id` AS `customer_id`,
            1 AS `__ivm_weight`
          FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
          UNION ALL
          SELECT
            `customers`.`customer_id` AS `customer_id`,
            -IF(`customers`.`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
          FROM table_changes('`shop`.`customers`', 8, 9) AS `customers`
        ) AS `q_12`
        GROUP BY
          `q_12`.`customer_id`
      ) AS `q_13`
      WHERE
        `q_13`.`__ivm_times` > 0
    ) AS `q_14`
      ON (
        (
          `q_11`.`orders_customer_id` = `q_14`.`customer_id`
        )
        OR (
          `q_11`.`orders_customer_id` = `q_14`.`customer_id`
        ) IS NULL
      )
  ) AS `q_15`
  GROUP BY
    `q_15`.`orders_order_id`
) AS `q_16`
WHERE
  `q_16`.`__ivm_count` <> 0
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
  SELECT
    `orders`.`order_id` AS `order_id`,
    COALESCE(SUM(IF(`orders`.`_change_type` IN ('insert', 'update_postimage'), 1, -1)), 0) AS `__ivm_count`
  FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
  LEFT ANTI JOIN (
    SELECT
      `customers`.`customer_id` AS `customer_id`
    FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
  ) AS `q`
    ON (
      (
        `orders`.`customer_id` = `q`.`customer_id`
      )
      OR (
        `orders`.`customer_id` = `q`.`customer_id`
      ) IS NULL
    )
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
  SELECT
    `orders`.`order_id` AS `order_id`,
    COALESCE(SUM(IF(`orders`.`_change_type` IN ('insert', 'update_postimage'), 1, -1)), 0) AS `__ivm_count`
  FROM table_changes('`shop`.`orders`', 8, 9) AS `orders`
  LEFT ANTI JOIN (
    SELECT
      `customers`.`customer_id` AS `customer_id`
    FROM `shop`.`customers` VERSION AS OF 9 AS `customers`
  ) AS `q`
    ON (
      (
        `orders`.`customer_id` = `q`.`customer_id`
      )
      OR (
        `orders`.`customer_id` = `q`.`customer_id`
      ) IS NULL
    )
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
