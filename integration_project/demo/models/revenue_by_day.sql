select o.ordered_on, count(*) as lines, sum(l.quantity * l.price) as revenue
from {{ source('lake', 'lines') }} l
join {{ source('lake', 'orders') }} o on l.order_id = o.order_id
group by o.ordered_on
