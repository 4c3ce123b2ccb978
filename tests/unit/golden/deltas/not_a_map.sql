-- view
select map('a', amount) as m from shop.orders

-- types
--m map<string,decimal(12,2)>

-- reason
MAP_TYPE_NOT_SUPPORTED: Columns of type MAP can't be compared, so a refresh can't match rows. (m map<string,decimal(12,2)>)
