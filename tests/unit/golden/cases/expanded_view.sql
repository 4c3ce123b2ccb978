-- view
select id, amount from shop.big_orders where amount < 1000

-- state
SELECT
  `orders`.`order_id` AS `id_2`,
  `orders`.`amount` AS `amount_3`,
  CAST(1 AS BIGINT) AS `__ivm_count`
FROM `shop`.`orders` VERSION AS OF 9 AS `orders`
WHERE
  `orders`.`amount` > 100 AND `orders`.`amount` < 1000

-- visible
SELECT
  `state`.`id_2` AS `id_2`,
  `state`.`amount_3` AS `amount_3`
FROM `shop`.`v__ivm` AS `state`
LATERAL VIEW
EXPLODE(array_repeat(0, CAST(`state`.`__ivm_count` AS INT))) generated AS `__ivm_copy`

-- insert of inserts in orders
insert into `shop`.`v__ivm` (`id_2`, `amount_3`, `__ivm_count`)
SELECT
  `q`.`id_2` AS `id_2`,
  `q`.`amount_3` AS `amount_3`,
  CASE
    WHEN `q`.`__ivm_count` < 0
    THEN CAST(raise_error(
      'ivm: the state does not fit its sources (a negative count); run with --full-refresh'
    ) AS BIGINT)
    ELSE `q`.`__ivm_count`
  END AS `__ivm_count`
FROM (
  SELECT
    `orders`.`order_id` AS `id_2`,
    `orders`.`amount` AS `amount_3`,
    COALESCE(SUM(`orders`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `order_id`,
      `amount`,
      IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`orders`', 8, 9)
  ) AS `orders`
  WHERE
    `orders`.`amount` > 100 AND `orders`.`amount` < 1000
  GROUP BY
    `orders`.`order_id`,
    `orders`.`amount`
) AS `q`
WHERE
  `q`.`__ivm_count` <> 0 AND COALESCE(`q`.`__ivm_count`, 0) <> 0

-- merge of changes in orders
cache table ivm_materialized_change as
SELECT
  `q`.`id_2` AS `id_2`,
  `q`.`amount_3` AS `amount_3`,
  `q`.`__ivm_count` AS `__ivm_count`
FROM (
  SELECT
    `orders`.`order_id` AS `id_2`,
    `orders`.`amount` AS `amount_3`,
    COALESCE(SUM(`orders`.`__ivm_weight`), 0) AS `__ivm_count`
  FROM (
    SELECT
      `order_id`,
      `amount`,
      IF(`_change_type` IN ('insert', 'update_postimage'), 1, -1) AS `__ivm_weight`
    FROM table_changes('`shop`.`orders`', 8, 9)
  ) AS `orders`
  WHERE
    `orders`.`amount` > 100 AND `orders`.`amount` < 1000
  GROUP BY
    `orders`.`order_id`,
    `orders`.`amount`
) AS `q`
WHERE
  `q`.`__ivm_count` <> 0;

merge into `shop`.`v__ivm` as t
using (
SELECT
  `q_3`.`id_2` AS `id_2`,
  `q_3`.`amount_3` AS `amount_3`,
  CASE
    WHEN `q_3`.`__ivm_net` + `q_3`.`__ivm_found` < 0
    THEN CAST(raise_error(
      'ivm: the state does not fit its sources (a negative count); run with --full-refresh'
    ) AS BIGINT)
    ELSE `q_3`.`__ivm_net` + `q_3`.`__ivm_found`
  END AS `__ivm_count`,
  `generated`.`__ivm_gone` AS `__ivm_gone`
FROM (
  SELECT
    `q_2`.`id_2` AS `id_2`,
    `q_2`.`amount_3` AS `amount_3`,
    SUM(`q_2`.`__ivm_net`) AS `__ivm_net`,
    SUM(`q_2`.`__ivm_found`) AS `__ivm_found`
  FROM (
    SELECT
      `ivm_materialized_change`.`id_2` AS `id_2`,
      `ivm_materialized_change`.`amount_3` AS `amount_3`,
      `ivm_materialized_change`.`__ivm_count` AS `__ivm_net`,
      0 AS `__ivm_found`
    FROM ivm_materialized_change AS `ivm_materialized_change`
    UNION ALL
    SELECT
      `state`.`id_2` AS `id_2`,
      `state`.`amount_3` AS `amount_3`,
      0 AS `__ivm_net`,
      `state`.`__ivm_count` AS `__ivm_found`
    FROM `shop`.`v__ivm` AS `state`
    LEFT SEMI JOIN (
      SELECT
        `ivm_materialized_change`.`id_2` AS `__ivm_lost_id_2`,
        `ivm_materialized_change`.`amount_3` AS `__ivm_lost_amount_3`,
        `ivm_materialized_change`.`__ivm_count` AS `__ivm_lost___ivm_count`
      FROM ivm_materialized_change AS `ivm_materialized_change`
      WHERE
        `ivm_materialized_change`.`__ivm_count` < 0
    ) AS `q`
      ON `state`.`id_2` IS NOT DISTINCT FROM `q`.`__ivm_lost_id_2`
      AND `state`.`amount_3` IS NOT DISTINCT FROM `q`.`__ivm_lost_amount_3`
  ) AS `q_2`
  GROUP BY
    `q_2`.`id_2`,
    `q_2`.`amount_3`
) AS `q_3`
LATERAL VIEW
EXPLODE(array(TRUE, FALSE)) generated AS `__ivm_gone`
WHERE
  IF(
    `generated`.`__ivm_gone`,
    `q_3`.`__ivm_net` < 0,
    CASE
      WHEN `q_3`.`__ivm_net` + `q_3`.`__ivm_found` < 0
      THEN CAST(raise_error(
        'ivm: the state does not fit its sources (a negative count); run with --full-refresh'
      ) AS BIGINT)
      ELSE `q_3`.`__ivm_net` + `q_3`.`__ivm_found`
    END > 0
  )
) as s
on `s`.`__ivm_gone` AND (`t`.`id_2` IS NOT DISTINCT FROM `s`.`id_2` AND `t`.`amount_3` IS NOT DISTINCT FROM `s`.`amount_3`)
when matched and `s`.`__ivm_gone` then delete
when not matched and NOT `s`.`__ivm_gone` then insert (`id_2`, `amount_3`, `__ivm_count`) values (
  `s`.`id_2`,
  `s`.`amount_3`,
  `s`.`__ivm_count`
)
