select
  c.customer_id,
  c.country,
  c.tier,
  c.tags,
  coalesce(t.trades, 0) as trades,
  coalesce(t.value, 0) as value,
  coalesce(w.watches, 0) as watches,
  t.last_trade_at
from {{ ref('dim_customers') }} c
left join {{ ref('agg_customer_trades') }} t
  on t.customer_id = c.customer_id and t.country = c.country
left join (
  select customer_id, count(*) as watches
  from {{ ref('fact_watches') }}
  where is_active
  group by customer_id
) w on w.customer_id = c.customer_id
