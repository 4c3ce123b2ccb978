-- view
select order_id, row_number() over (partition by customer_id order by amount) as place from shop.orders

-- reason
OPERATOR_NOT_SUPPORTED: The query uses an operator that has no incremental rule yet. (a window function)
