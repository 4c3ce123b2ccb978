-- view
select sum(amount) as s from (select amount from shop.orders order by amount limit 3) t

-- types
--s decimal(22,2)
--__ivm_argument_s decimal(12,2)

-- reason
OPERATOR_NOT_SUPPORTED: The query uses an operator that has no incremental rule yet. (LIMIT below another operator)
