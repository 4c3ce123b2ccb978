select
  u.user_id,
  u.user_name,
  u.team,
  count(t.ticket_id) as tickets,
  sum(case when t.status = 'solved' then 1 else 0 end) as solved,
  avg(r.average_reply_minutes) as average_reply_minutes,
  avg(b.business_minutes / 60.0) as average_open_hours
from {{ ref('stg_desk__users') }} as u
left join {{ ref('stg_desk__tickets') }} as t on u.user_id = t.assignee_id
left join {{ ref('int_ticket_replies') }} as r on t.ticket_id = r.ticket_id
left join {{ ref('int_ticket_business_minutes') }} as b on t.ticket_id = b.ticket_id and b.status = 'open'
where u.is_staff
group by u.user_id, u.user_name, u.team
