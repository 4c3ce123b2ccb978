select
  cast(schedule_id as int) as schedule_id,
  cast(holiday_on as date) as holiday_on,
  cast({{ dbt.date_trunc('week', 'holiday_on') }} as date) as week_start,
  name as holiday_name
from {{ source('desk', 'raw_desk_holidays') }}
