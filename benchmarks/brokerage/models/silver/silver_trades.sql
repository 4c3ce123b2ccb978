select
  t.trade_id,
  t.account_id,
  t.symbol,
  t.trade_type,
  t.is_cash,
  t.quantity,
  t.bid_price,
  t.trade_price,
  t.fee + t.commission + t.tax as charges,
  t.executed_by,
  t.origin,
  t.placed_at,
  cast(t.placed_at as date) as placed_on,
  coalesce(s.status_name, 'Completed') as status,
  coalesce(m.ended_at, case when t.origin = 'archive' then t.placed_at end) as ended_at
from {{ ref('bronze_trades') }} t
left join {{ ref('silver_trade_statuses') }} s on s.trade_id = t.trade_id
left join {{ ref('silver_trade_times') }} m on m.trade_id = t.trade_id
