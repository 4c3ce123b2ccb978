select p.product_id, p.category, sum(l.quantity) as sold, sum(l.quantity * l.price) as revenue
from {{ source('lake', 'lines') }} l
join {{ source('lake', 'products') }} p on l.product_id = p.product_id
group by p.product_id, p.category
