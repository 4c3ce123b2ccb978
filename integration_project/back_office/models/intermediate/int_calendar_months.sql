select
  period_start as month_start,
  {{ dbt.last_day('period_start', 'month') }} as month_end
from (
  {{ calendar('month', var('first_day'), var('last_day')) }}
) as months
