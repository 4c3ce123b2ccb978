{#- The opening hours of every week, without holidays. -#}
with weeks as (

  select distinct week_start from {{ ref('int_calendar_days') }}

),

openings as (

  select
    s.schedule_id,
    w.week_start,
    s.weekday,
    {{ dbt.dateadd('minute', 's.opens_at_minute_of_week', 'w.week_start') }} as opens_at,
    {{ dbt.dateadd('minute', 's.closes_at_minute_of_week', 'w.week_start') }} as closes_at
  from {{ ref('stg_desk__schedules') }} as s
  cross join weeks as w

)

select o.schedule_id, o.week_start, o.weekday, o.opens_at, o.closes_at
from openings as o
left join {{ ref('stg_desk__holidays') }} as h
  on o.schedule_id = h.schedule_id
  and o.week_start = h.week_start
  and cast(o.opens_at as date) = h.holiday_on
where h.holiday_on is null
