with handled as (

  select
    ticket_id,
    source_relation,
    array_join(sort_array(collect_list(distinct team)), ', ') as teams,
    count(distinct status) as states,
    count(distinct cast(until_day as string)) as days
  from {{ ref('desk_ticket_states') }}
  group by 1, 2

)

select
  tickets.source_relation,
  tickets.ticket_id,
  tickets.subject,
  handled.teams,
  handled.states,
  handled.days
from {{ ref('stg_desk__tickets') }} as tickets
left join handled
  on handled.ticket_id = tickets.ticket_id
  and handled.source_relation = tickets.source_relation
