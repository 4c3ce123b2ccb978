-- view
select order_id from shop.orders where customer_id = (select customer_id from shop.customers)

-- reason
OPERATOR_NOT_SUPPORTED: The query uses an operator that has no incremental rule yet. (a scalar subquery that may return several rows)
