select
  ticket_id,
  new_value as priority,
  valid_from,
  coalesce(
    lead(valid_from) over (partition by ticket_id order by valid_from, new_value),
    cast('2099-12-31' as {{ dbt.type_timestamp() }})
  ) as valid_until
from {{ ref('stg_desk__field_changes') }}
where field_name = 'priority'
