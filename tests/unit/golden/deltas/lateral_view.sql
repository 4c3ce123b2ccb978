-- view
select user_id, tag from shop.clicks lateral view explode(tags) t as tag

-- delta of clicks
SELECT
  `clicks`.`user_id` AS `user_id`,
  `generated`.`tag` AS `tag_2`,
  `clicks`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`clicks_changes` AS `clicks`
LATERAL VIEW
explode(`clicks`.`tags`) generated AS `tag`
