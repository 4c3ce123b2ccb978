-- view
select segment, count(*) as n from (select distinct segment, name from shop.customers) t group by 1

-- types
--n bigint

-- delta of customers
SELECT
  `q_4`.`segment` AS `segment`,
  `q_4`.`name` AS `name`,
  `q_4`.`__ivm_side` AS `__ivm_weight`
FROM (
  SELECT DISTINCT
    `q_3`.`segment` AS `segment`,
    `q_3`.`name` AS `name`,
    `q_3`.`__ivm_side` AS `__ivm_side`
  FROM (
    SELECT
      `q_2`.`segment` AS `segment`,
      `q_2`.`name` AS `name`,
      `q_2`.`__ivm_side` AS `__ivm_side`,
      SUM(`q_2`.`__ivm_weight`) AS `__ivm_times`
    FROM (
      SELECT
        `customers`.`segment` AS `segment`,
        `customers`.`name` AS `name`,
        `generated`.`__ivm_side` AS `__ivm_side`,
        1 AS `__ivm_weight`
      FROM `shop`.`customers` AS `customers`
      LEFT SEMI JOIN (
        SELECT DISTINCT
          `customers`.`segment` AS `__ivm_touched_0`,
          `customers`.`name` AS `__ivm_touched_1`
        FROM `shop`.`customers_changes` AS `customers`
      ) AS `q`
        ON `customers`.`segment` IS NOT DISTINCT FROM `q`.`__ivm_touched_0`
        AND `customers`.`name` IS NOT DISTINCT FROM `q`.`__ivm_touched_1`
      LATERAL VIEW
      EXPLODE(array(1, -1)) generated AS `__ivm_side`
      UNION ALL
      SELECT
        `customers`.`segment` AS `segment`,
        `customers`.`name` AS `name`,
        -1 AS `__ivm_side`,
        -`customers`.`__ivm_weight` AS `__ivm_weight`
      FROM `shop`.`customers_changes` AS `customers`
    ) AS `q_2`
    GROUP BY
      `q_2`.`segment`,
      `q_2`.`name`,
      `q_2`.`__ivm_side`
  ) AS `q_3`
  WHERE
    `q_3`.`__ivm_times` > 0
) AS `q_4`
