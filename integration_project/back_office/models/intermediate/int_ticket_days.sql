{#- One row for each ticket on each day between its creation and its solution. -#}
with spine as (

  select
    c.day,
    l.ticket_id,
    row_number() over (partition by l.ticket_id order by c.day) as day_number
  from {{ ref('int_calendar_days') }} as c
  inner join {{ ref('int_ticket_lifespans') }} as l
    on c.day >= cast(l.created_at as date)
    and c.day <= coalesce(cast(l.last_solved_at as date), {{ dbt.dateadd('day', 20, 'l.created_at') }})

)

select
  spine.day,
  spine.ticket_id,
  spine.day_number,
  coalesce(v.status, 'unchanged') as status_of_day,
  sum(case when v.status is not null then 1 else 0 end)
    over (partition by spine.ticket_id order by spine.day rows between unbounded preceding and current row)
    as status_partition
from spine
left join {{ ref('int_ticket_daily_values') }} as v
  on spine.ticket_id = v.ticket_id
  and spine.day = v.day
