{#- How long a ticket was in each status while its schedule was open. -#}
with spans as (

  select h.ticket_id, h.status, h.valid_from, h.valid_until, t.schedule_id
  from {{ ref('int_ticket_status_history') }} as h
  inner join {{ ref('stg_desk__tickets') }} as t on h.ticket_id = t.ticket_id
  where h.valid_until is not null

),

overlaps as (

  select
    s.ticket_id,
    s.status,
    greatest(s.valid_from, w.opens_at) as starts_at,
    least(s.valid_until, w.closes_at) as ends_at
  from spans as s
  inner join {{ ref('int_schedule_weeks') }} as w
    on s.schedule_id = w.schedule_id
    and s.valid_from < w.closes_at
    and s.valid_until > w.opens_at

)

select
  ticket_id,
  status,
  count(*) as openings,
  sum({{ dbt.datediff('starts_at', 'ends_at', 'minute') }}) as business_minutes
from overlaps
group by ticket_id, status
