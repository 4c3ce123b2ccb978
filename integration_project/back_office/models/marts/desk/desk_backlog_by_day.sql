select
  d.day,
  count(distinct d.ticket_id) as open_tickets,
  sum(case when d.day_number = 1 then 1 else 0 end) as created_tickets,
  max(d.day_number) as oldest_days
from {{ ref('int_ticket_days') }} as d
group by d.day
