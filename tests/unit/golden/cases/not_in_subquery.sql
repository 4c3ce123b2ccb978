-- view
select order_id from shop.orders where customer_id not in (select customer_id from shop.customers)

-- reason
OPERATOR_NOT_SUPPORTED: The query uses an operator that has no incremental rule yet. (NOT IN over a subquery)
