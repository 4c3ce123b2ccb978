-- view
select user_id, bool_and(seconds > 1) as long, bool_or(seconds > 9) filter (where user_id > 1) as ever,
  bit_xor(seconds) as checksum
from clicks
group by user_id
having bool_or(seconds > 0)

-- types
long boolean
ever boolean
checksum int
bool_or boolean
__ivm_argument_long boolean
__ivm_argument_ever boolean
__ivm_argument_checksum int
__ivm_argument_bool_or boolean

-- delta of clicks
SELECT
  `clicks`.`user_id` AS `clicks_user_id`,
  `clicks`.`seconds` AS `clicks_seconds`,
  `clicks`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`clicks_changes` AS `clicks`
