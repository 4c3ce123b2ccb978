with facts as (

  select
    session_id,
    visitor_id,
    landing_path,
    min(viewed_at) as started_at,
    max(viewed_at) as ended_at,
    count(*) as page_views,
    count(distinct url_path) as distinct_pages,
    sum(seconds_on_page) as seconds_on_pages
  from {{ ref('int_page_views_with_sessions') }}
  group by session_id, visitor_id, landing_path

),

openings as (

  select session_id, utm_source, utm_campaign, referrer_host
  from {{ ref('int_page_views_with_sessions') }}
  where page_number = 1

)

select
  f.*,
  o.utm_source,
  o.utm_campaign,
  o.referrer_host,
  f.page_views = 1 as is_bounce
from facts as f
inner join openings as o on f.session_id = o.session_id
