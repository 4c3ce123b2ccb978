select
  day,
  year(day) as year,
  quarter(day) as quarter,
  month(day) as month,
  date_trunc('MONTH', day) as month_start,
  dayofweek(day) as weekday,
  dayofweek(day) in (1, 7) as is_weekend
from {{ source('brokerage', 'calendar') }}
