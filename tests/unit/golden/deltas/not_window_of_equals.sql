-- view
select order_id, collect_list(amount) over (
  partition by customer_id order by ordered_on range between current row and unbounded following
) as later from shop.orders

-- reason
OPERATOR_NOT_SUPPORTED: The query uses an operator that has no incremental rule yet. (collect_list() over a RANGE of rows without a fixed order)
