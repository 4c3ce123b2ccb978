select
  symbol,
  price_date,
  close_price,
  previous_close,
  close_price - previous_close as change,
  cast(100 * (close_price - previous_close) / previous_close as decimal(10, 4)) as change_percent,
  volume
from (
  select
    symbol,
    price_date,
    close_price,
    lag(close_price) over (partition by symbol order by price_date) as previous_close,
    volume
  from {{ ref('bronze_prices') }}
)
