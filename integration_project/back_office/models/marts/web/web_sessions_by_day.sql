select
  cast({{ dbt.date_trunc('day', 'started_at') }} as date) as day,
  count(*) as sessions,
  count(distinct visitor_id) as visitors,
  sum(case when is_bounce then 1 else 0 end) as bounces,
  avg(seconds_on_pages) as average_seconds
from {{ ref('int_sessions') }}
group by 1
