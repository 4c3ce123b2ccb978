-- view
select sum(user_id) as total from shop.clicks

-- types
--total bigint
--__ivm_argument_total bigint

-- delta of clicks
SELECT
  `clicks`.`user_id` AS `clicks_user_id`,
  `clicks`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`clicks_changes` AS `clicks`
