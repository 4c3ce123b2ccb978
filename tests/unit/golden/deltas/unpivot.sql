-- view
select * from (select user_id, seconds from clicks) unpivot (value for kind in (user_id, seconds as s))

-- types
kind string
value bigint

-- delta of clicks
SELECT
  CASE
    WHEN `generated`.`__ivm_part_of_kind` = 0
    THEN 'user_id'
    WHEN `generated`.`__ivm_part_of_kind` = 1
    THEN 's'
  END AS `kind_2`,
  CASE
    WHEN `generated`.`__ivm_part_of_kind` = 0
    THEN `clicks`.`user_id`
    WHEN `generated`.`__ivm_part_of_kind` = 1
    THEN `clicks`.`seconds`
  END AS `value_2`,
  `clicks`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`clicks_changes` AS `clicks`
LATERAL VIEW
EXPLODE(ARRAY(0, 1)) generated AS `__ivm_part_of_kind`
WHERE
  NOT CASE
    WHEN `generated`.`__ivm_part_of_kind` = 0
    THEN `clicks`.`user_id`
    WHEN `generated`.`__ivm_part_of_kind` = 1
    THEN `clicks`.`seconds`
  END IS NULL
