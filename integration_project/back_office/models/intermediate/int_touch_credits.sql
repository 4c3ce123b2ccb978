select
  *,
  case when touch_number = 1 then 1.0 else 0.0 end as first_touch,
  case when touch_number = touches then 1.0 else 0.0 end as last_touch,
  case
    when touches = 1 then 1.0
    when touches = 2 then 0.5
    when touch_number = 1 or touch_number = touches then 0.4
    else 0.2 / (touches - 2)
  end as forty_twenty_forty,
  1.0 / touches as linear
from {{ ref('int_touches') }}
