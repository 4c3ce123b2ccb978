-- view
select count(*) as n, sum(seconds) as total from shop.clicks

-- types
--n bigint
--total bigint
--__ivm_argument_total int

-- delta of clicks
SELECT
  `clicks`.`seconds` AS `clicks_seconds`,
  `clicks`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`clicks_changes` AS `clicks`
