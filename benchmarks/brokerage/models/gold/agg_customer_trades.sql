select
  customer_id,
  country,
  count(*) as trades,
  sum(quantity) as quantity,
  sum(value) as value,
  sum(charges) as charges,
  avg(trade_price) as average_price,
  max(placed_at) as last_trade_at
from {{ ref('fact_trades') }}
where status <> 'Canceled'
group by customer_id, country
