select
  t.trade_id,
  t.placed_on,
  t.placed_at,
  t.ended_at,
  t.status,
  t.trade_type,
  t.is_cash,
  a.account_key,
  a.account_id,
  a.customer_key,
  a.customer_id,
  a.country,
  a.broker_id,
  s.security_key,
  t.symbol,
  s.industry,
  t.quantity,
  t.trade_price,
  t.quantity * t.trade_price as value,
  t.charges
from {{ ref('silver_trades') }} t
join {{ ref('silver_accounts') }} a
  on a.account_id = t.account_id
  and t.placed_at >= a.valid_from
  and t.placed_at < a.valid_to
join {{ ref('silver_securities') }} s
  on s.symbol = t.symbol
  and t.placed_at >= s.valid_from
  and t.placed_at < s.valid_to
