select
  symbol,
  cast(price_date as date) as price_date,
  cast(open_price as decimal(10, 2)) as open_price,
  cast(close_price as decimal(10, 2)) as close_price,
  cast(high_price as decimal(10, 2)) as high_price,
  cast(low_price as decimal(10, 2)) as low_price,
  volume
from {{ source('brokerage', 'daily_prices') }}
where volume > 0 and close_price is not null
