-- view
select o.order_id from shop.orders o left join shop.customers c using (customer_id)

-- reason
OPERATOR_NOT_SUPPORTED: The query uses an operator that has no incremental rule yet. (LEFT JOIN)
