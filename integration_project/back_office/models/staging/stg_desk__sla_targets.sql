select
  cast(id as bigint) as sla_target_id,
  cast(schedule_id as int) as schedule_id,
  priority,
  replace(metric, ' ', '_') as metric,
  cast(target_minutes as int) as target_minutes,
  cast(valid_from as date) as valid_from
from {{ source('desk', 'raw_desk_sla_targets') }}
