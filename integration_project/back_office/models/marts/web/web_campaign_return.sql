with spend as (

  select
    utm_source,
    cast({{ dbt.date_trunc('month', 'spent_on') }} as date) as month_start,
    sum(cost) as cost
  from {{ ref('stg_web__ad_spend') }}
  group by 1, 2

)

select
  coalesce(s.utm_source, a.utm_source) as utm_source,
  coalesce(s.month_start, a.month_start) as month_start,
  s.cost,
  a.linear_revenue,
  a.linear_revenue / nullif(s.cost, 0) as return_on_spend
from spend as s
full outer join {{ ref('web_attribution') }} as a
  on s.utm_source = a.utm_source
  and s.month_start = a.month_start
