select price_date, place, symbol, change_percent
from (
  select
    price_date,
    symbol,
    change_percent,
    row_number() over (partition by price_date order by change_percent desc, symbol) as place
  from {{ ref('silver_price_changes') }}
  where change_percent is not null
)
where place <= 5
