select country, count(*) as customers, sum(revenue) as revenue
from {{ ref('revenue_by_customer') }}
group by country
