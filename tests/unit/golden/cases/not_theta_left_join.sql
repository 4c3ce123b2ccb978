-- view
select o.order_id, c.segment from shop.orders o left join shop.customers c on o.customer_id < c.customer_id

-- reason
OPERATOR_NOT_SUPPORTED: The query uses an operator that has no incremental rule yet. (LEFT JOIN without an equality)
