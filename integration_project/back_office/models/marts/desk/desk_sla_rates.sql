select
  t.priority,
  s.metric,
  count(*) as targets,
  sum(case when s.result = 'breached' then 1 else 0 end) as breaches,
  cast(sum(case when s.result = 'achieved' then 1 else 0 end) as double) / count(*) as achieved_rate
from {{ ref('desk_sla_results') }} as s
inner join {{ ref('stg_desk__tickets') }} as t on s.ticket_id = t.ticket_id
group by t.priority, s.metric
having count(*) > 1
