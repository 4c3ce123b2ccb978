{#- The last value of each field on each day that a ticket was touched. -#}
with ranked as (

  select
    ticket_id,
    field_name,
    cast({{ dbt.date_trunc('day', 'valid_from') }} as date) as day,
    new_value,
    row_number() over (
      partition by ticket_id, field_name, cast({{ dbt.date_trunc('day', 'valid_from') }} as date)
      order by valid_from desc, new_value
    ) as place
  from {{ ref('stg_desk__field_changes') }}

)

select
  ticket_id,
  day,
  max(case when field_name = 'status' then new_value end) as status,
  max(case when field_name = 'priority' then new_value end) as priority,
  max(case when field_name = 'assignee' then cast(new_value as bigint) end) as assignee_id
from ranked
where place = 1
group by ticket_id, day
