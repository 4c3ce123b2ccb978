select symbol, price_date, close_price, change_percent
from (
  select
    *,
    row_number() over (partition by symbol order by price_date desc) as newest
  from {{ ref('silver_price_changes') }}
)
where newest = 1
