with connections as (

  select 'helpdesk_us' as source_relation, *
  from {{ source('desk', 'raw_desk_tickets') }}

  union all

  select 'helpdesk_eu' as source_relation, *
  from {{ source('desk', 'raw_desk_tickets_eu') }}

)

select
  source_relation,
  cast(id as bigint) as ticket_id,
  cast(requester_id as bigint) as requester_id,
  cast(assignee_id as bigint) as assignee_id,
  cast(schedule_id as int) as schedule_id,
  lower(channel) as channel,
  priority,
  status,
  subject,
  {{ dbt.split_part('subject', "' '", 1) }} as topic,
  cast(created_at as {{ dbt.type_timestamp() }}) as created_at,
  cast(updated_at as {{ dbt.type_timestamp() }}) as updated_at
from connections
