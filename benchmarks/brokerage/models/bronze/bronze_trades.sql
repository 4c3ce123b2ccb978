select
  cast(trade_id as bigint) as trade_id,
  cast(account_id as bigint) as account_id,
  upper(trim(symbol)) as symbol,
  trade_type,
  cast(is_cash as boolean) as is_cash,
  cast(quantity as int) as quantity,
  cast(bid_price as decimal(10, 2)) as bid_price,
  cast(trade_price as decimal(10, 2)) as trade_price,
  cast(fee as decimal(10, 2)) as fee,
  cast(commission as decimal(10, 2)) as commission,
  cast(tax as decimal(10, 2)) as tax,
  executed_by,
  cast(placed_at as timestamp) as placed_at,
  'archive' as origin
from {{ source('brokerage', 'trades_archive') }}
where trade_id is not null
union all
select
  trade_id, account_id, upper(trim(symbol)), trade_type, is_cash, quantity, bid_price, trade_price,
  fee, commission, tax, executed_by, placed_at, 'live'
from {{ source('brokerage', 'trades') }}
where quantity > 0
