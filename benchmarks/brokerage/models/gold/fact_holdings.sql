select
  h.holding_id,
  h.opened_by,
  t.account_key,
  t.customer_id,
  t.security_key,
  t.symbol,
  t.placed_on,
  t.trade_price,
  h.quantity_before,
  h.quantity_after,
  h.quantity_change * t.trade_price as value_change
from {{ ref('bronze_holdings') }} h
join {{ ref('fact_trades') }} t on t.trade_id = h.trade_id
