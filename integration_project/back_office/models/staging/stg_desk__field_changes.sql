select
  'helpdesk' as source_relation,
  cast(ticket_id as bigint) as ticket_id,
  field as field_name,
  value as new_value,
  cast(changed_by as bigint) as user_id,
  cast(changed_at as {{ dbt.type_timestamp() }}) as valid_from
from {{ source('desk', 'raw_desk_field_changes') }}
