select
  a.account_id,
  a.account_name,
  count(t.ticket_id) as tickets,
  count(distinct u.user_id) as requesters,
  min(t.created_at) as first_ticket_at,
  {{ dbt.bool_or("t.priority = 'urgent'") }} as had_urgent_ticket
from {{ ref('stg_subs__accounts') }} as a
left join {{ ref('stg_desk__users') }} as u on a.account_id = u.account_id
left join {{ ref('stg_desk__tickets') }} as t on u.user_id = t.requester_id
group by a.account_id, a.account_name
