select
  period_start as day,
  cast({{ dbt.date_trunc('week', 'period_start') }} as date) as week_start,
  cast({{ dbt.date_trunc('month', 'period_start') }} as date) as month_start,
  weekday(period_start) as weekday
from (
  {{ calendar('day', var('first_day'), var('last_day')) }}
) as days
