-- view
select my_function(amount) as x from shop.orders

-- types
--x int

-- reason
OPERATOR_NOT_SUPPORTED: The query uses an operator that has no incremental rule yet. (my_function(), a function that is not Spark's own)
