-- view
select user_id, avg(seconds) as mean from shop.clicks group by 1

-- types
--mean double
--__ivm_argument_mean int

-- delta of clicks
SELECT
  `clicks`.`user_id` AS `clicks_user_id`,
  `clicks`.`seconds` AS `clicks_seconds`,
  `clicks`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`clicks_changes` AS `clicks`
