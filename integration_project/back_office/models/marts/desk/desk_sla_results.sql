with reached as (

  select t.ticket_id, 'first_reply' as metric, r.first_public_reply_at as reached_at
  from {{ ref('stg_desk__tickets') }} as t
  left join {{ ref('int_ticket_replies') }} as r on t.ticket_id = r.ticket_id

  union all

  select ticket_id, 'resolution' as metric, first_solved_at as reached_at
  from {{ ref('int_ticket_lifespans') }}

)

select
  d.ticket_id,
  d.metric,
  d.target_minutes,
  d.due_at,
  r.reached_at,
  case
    when r.reached_at is null then 'open'
    when r.reached_at <= d.due_at then 'achieved'
    else 'breached'
  end as result,
  greatest({{ dbt.datediff('d.due_at', 'r.reached_at', 'minute') }}, 0) as minutes_late
from {{ ref('int_ticket_sla_deadlines') }} as d
left join reached as r on d.ticket_id = r.ticket_id and d.metric = r.metric
