with compared as (

  select
    *,
    lag(viewed_at) over (partition by visitor_id order by viewed_at, page_view_id) as previous_viewed_at
  from {{ ref('stg_web__page_views') }}

)

select
  *,
  {{ dbt.datediff('previous_viewed_at', 'viewed_at', 'minute') }} as minutes_since_previous,
  case
    when previous_viewed_at is null then 1
    when {{ dbt.datediff('previous_viewed_at', 'viewed_at', 'minute') }} > {{ var('session_gap_minutes') }} then 1
    else 0
  end as starts_session
from compared
