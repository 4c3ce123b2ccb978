select c.customer_id, c.country, count(*) as lines, sum(l.quantity * l.price) as revenue
from {{ source('lake', 'lines') }} l
join {{ source('lake', 'orders') }} o on l.order_id = o.order_id
join {{ source('lake', 'customers') }} c on o.customer_id = c.customer_id
group by c.customer_id, c.country
