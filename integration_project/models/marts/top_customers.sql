{{ config(materialized='ivm') }}

select customer_id, sum(amount) as revenue
from {{ ref('sales') }}
group by customer_id
having count(*) >= 3
order by revenue desc, customer_id
limit 10
