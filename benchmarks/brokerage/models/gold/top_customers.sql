select country, place, customer_id, value, trades
from (
  select
    country,
    customer_id,
    value,
    trades,
    row_number() over (partition by country order by value desc, customer_id) as place
  from {{ ref('agg_customer_trades') }}
)
where place <= 10
