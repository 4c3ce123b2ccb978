select
  utm_source,
  cast({{ dbt.date_trunc('month', 'converted_at') }} as date) as month_start,
  sum(first_touch) as first_touch_conversions,
  sum(last_touch) as last_touch_conversions,
  sum(forty_twenty_forty) as weighted_conversions,
  sum(linear * amount) as linear_revenue
from {{ ref('int_touch_credits') }}
group by 1, 2
