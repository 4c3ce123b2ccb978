-- view
select order_id from shop.orders where exists (select 1 from shop.customers)

-- reason
OPERATOR_NOT_SUPPORTED: The query uses an operator that has no incremental rule yet. (EXISTS without an equality)
