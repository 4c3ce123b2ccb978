with numbered as (

  select
    *,
    sum(starts_session) over (
      partition by visitor_id order by viewed_at, page_view_id
      rows between unbounded preceding and current row
    ) as session_number
  from {{ ref('int_page_views_in_order') }}

)

select
  {{ dbt.hash(dbt.concat(['visitor_id', "'-'", 'cast(session_number as string)'])) }} as session_id,
  *,
  row_number() over (partition by visitor_id, session_number order by viewed_at, page_view_id) as page_number,
  first_value(url_path) over (partition by visitor_id, session_number order by viewed_at, page_view_id)
    as landing_path
from numbered
