select ordered_on, count(distinct customer_id) as customers, max(order_id) as last_order
from {{ source('lake', 'orders') }}
where status <> 'returned'
group by ordered_on
