-- highs and lows of the 52 weeks up to each day
select
  symbol,
  price_date,
  close_price,
  high_price,
  low_price,
  volume,
  max(high_price) over (
    partition by symbol order by price_date
    range between interval 364 days preceding and current row
  ) as high_52_weeks,
  min(low_price) over (
    partition by symbol order by price_date
    range between interval 364 days preceding and current row
  ) as low_52_weeks
from {{ ref('bronze_prices') }}
