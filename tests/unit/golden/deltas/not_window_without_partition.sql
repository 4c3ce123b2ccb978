-- view
select order_id, row_number() over (order by amount) as place from shop.orders

-- reason
WINDOW_WITHOUT_PARTITION_BY: A window without PARTITION BY depends on every row of its input. (row_number() OVER (ORDER BY `orders`.`amount`))
