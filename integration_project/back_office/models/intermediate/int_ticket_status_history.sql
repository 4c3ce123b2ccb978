with changes as (

  select * from {{ ref('stg_desk__field_changes') }} where field_name = 'status'

),

spans as (

  select
    source_relation,
    ticket_id,
    new_value as status,
    user_id,
    valid_from,
    lead(valid_from) over (partition by source_relation, ticket_id order by valid_from, new_value) as valid_until,
    row_number() over (partition by source_relation, ticket_id order by valid_from, new_value) as step
  from changes

)

select
  *,
  {{ dbt.datediff('valid_from', 'valid_until', 'minute') }} as minutes_in_status
from spans
