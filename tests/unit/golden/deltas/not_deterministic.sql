-- view
select order_id, rand() as r from shop.orders

-- reason
EXPRESSION_NOT_DETERMINISTIC: The query's result depends on more than its sources' rows. (rand())
