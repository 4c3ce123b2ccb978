select
  symbol,
  price_date,
  avg(close_price) over (
    partition by symbol order by price_date rows between 49 preceding and current row
  ) as close_50_days,
  sum(volume) over (
    partition by symbol order by price_date rows between 9 preceding and current row
  ) as volume_10_days,
  rank() over (partition by symbol order by volume desc) as volume_rank
from {{ ref('bronze_prices') }}
