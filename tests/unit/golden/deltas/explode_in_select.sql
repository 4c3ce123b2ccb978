-- view
select c.user_id, explode(c.tags) as tag from shop.clicks c where c.seconds > 3

-- delta of clicks
SELECT
  `c`.`user_id` AS `user_id`,
  `generated`.`ivm_generated_0_0` AS `tag`,
  `c`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`clicks_changes` AS `c`
LATERAL VIEW
explode(`c`.`tags`) generated AS `ivm_generated_0_0`
WHERE
  `c`.`seconds` > 3
