select
  t.source_relation,
  t.ticket_id,
  t.created_at,
  min(case when h.status = 'solved' then h.valid_from end) as first_solved_at,
  max(case when h.status = 'solved' then h.valid_from end) as last_solved_at,
  count(case when h.status = 'open' then 1 end) as times_opened,
  max(h.step) as steps
from {{ ref('stg_desk__tickets') }} as t
left join {{ ref('int_ticket_status_history') }} as h on t.ticket_id = h.ticket_id
group by 1, 2, 3
