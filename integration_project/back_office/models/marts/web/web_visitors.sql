select
  visitor_id,
  min(started_at) as first_seen_at,
  max(ended_at) as last_seen_at,
  count(*) as sessions,
  sum(page_views) as page_views,
  max(case when landing_path = '/pricing' then 1 else 0 end) = 1 as landed_on_pricing
from {{ ref('int_sessions') }}
group by visitor_id
