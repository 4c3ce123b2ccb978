select
  c.month_start,
  v.industry,
  sum(v.trades) as trades,
  sum(v.value) as value,
  max(v.value) as best_day_value,
  count(*) as days
from {{ ref('agg_daily_volume') }} v
join {{ ref('silver_calendar') }} c on c.day = v.placed_on
group by c.month_start, v.industry
