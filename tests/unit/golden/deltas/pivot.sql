-- view
select *
from (select customer_id, note, amount from orders)
pivot (sum(amount) as total, count(*) as n for note in ('web', 'shop' as store))

-- types
web_total decimal(22,2)
store_total decimal(22,2)
web_count_1 bigint
web_n bigint
store_n bigint
__ivm_rows_of_web_n bigint
__ivm_rows_of_store_n bigint
__ivm_argument_web_total decimal(12,2)
__ivm_argument_store_total decimal(12,2)

-- delta of orders
SELECT
  `orders`.`customer_id` AS `customer_id`,
  `orders`.`note` AS `note`,
  `orders`.`amount` AS `amount`,
  `orders`.`__ivm_weight` AS `__ivm_weight`
FROM `shop`.`orders_changes` AS `orders`
