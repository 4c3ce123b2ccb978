with replies as (

  select * from {{ ref('int_ticket_replies') }}

),

work as (

  select
    ticket_id,
    sum(case when status = 'open' then business_minutes else 0 end) as open_minutes,
    sum(case when status = 'pending' then business_minutes else 0 end) as pending_minutes
  from {{ ref('int_ticket_business_minutes') }}
  group by ticket_id

)

select
  t.source_relation,
  t.ticket_id,
  t.topic,
  t.channel,
  t.priority,
  t.status,
  requester.user_name as requester_name,
  requester.account_id,
  assignee.user_name as assignee_name,
  assignee.team,
  t.created_at,
  l.first_solved_at,
  l.times_opened > 1 as was_reopened,
  {{ dbt.datediff('t.created_at', 'r.first_public_reply_at', 'minute') }} as first_reply_minutes,
  {{ dbt.datediff('t.created_at', 'l.last_solved_at', 'hour') }} as resolution_hours,
  coalesce(r.comments, 0) as comments,
  coalesce(r.agent_turns, 0) as agent_turns,
  coalesce(w.open_minutes, 0) as open_minutes,
  coalesce(w.pending_minutes, 0) as pending_minutes
from {{ ref('stg_desk__tickets') }} as t
left join {{ ref('stg_desk__users') }} as requester on t.requester_id = requester.user_id
left join {{ ref('stg_desk__users') }} as assignee on t.assignee_id = assignee.user_id
left join {{ ref('int_ticket_lifespans') }} as l on t.ticket_id = l.ticket_id
left join replies as r on t.ticket_id = r.ticket_id
left join work as w on t.ticket_id = w.ticket_id
