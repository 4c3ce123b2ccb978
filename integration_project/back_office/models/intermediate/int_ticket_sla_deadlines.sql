with candidates as (

  select
    t.ticket_id,
    s.metric,
    s.target_minutes,
    p.valid_from as applied_at,
    {{ dbt.dateadd('minute', 's.target_minutes', 'p.valid_from') }} as due_at,
    row_number() over (partition by t.ticket_id, s.metric order by p.valid_from desc, s.sla_target_id) as place
  from {{ ref('stg_desk__tickets') }} as t
  inner join {{ ref('int_ticket_priority_history') }} as p on t.ticket_id = p.ticket_id
  inner join {{ ref('stg_desk__sla_targets') }} as s
    on p.priority = s.priority
    and t.schedule_id = s.schedule_id
    and cast(p.valid_from as date) >= s.valid_from

)

select ticket_id, metric, target_minutes, applied_at, due_at
from candidates
where place = 1
