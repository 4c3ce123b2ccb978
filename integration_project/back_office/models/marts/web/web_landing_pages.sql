select
  landing_path,
  count(*) as sessions,
  sum(page_views) as page_views,
  1.0 * sum(case when is_bounce then 1 else 0 end) / nullif(count(*), 0) as bounce_rate
from {{ ref('int_sessions') }}
group by landing_path
