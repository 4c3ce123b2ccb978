select
  cast(schedule_id as int) as schedule_id,
  cast(weekday as int) as weekday,
  cast(weekday * 1440 + opens_at_minute as int) as opens_at_minute_of_week,
  cast(weekday * 1440 + closes_at_minute as int) as closes_at_minute_of_week,
  cast(closes_at_minute - opens_at_minute as int) as open_minutes
from {{ source('desk', 'raw_desk_schedules') }}
