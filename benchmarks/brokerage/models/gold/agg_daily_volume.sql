select
  placed_on,
  industry,
  count(*) as trades,
  count(distinct customer_id) as customers,
  sum(value) as value
from {{ ref('fact_trades') }}
group by placed_on, industry
