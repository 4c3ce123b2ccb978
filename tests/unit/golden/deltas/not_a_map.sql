-- view
select map('a', amount) as m from shop.orders

-- types
--m map<string,decimal(12,2)>

-- reason
MAP_TYPE_NOT_SUPPORTED: A MAP column can't be compared, so its rows can't be matched. (m map<string,decimal(12,2)>)
