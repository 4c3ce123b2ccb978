with states as (

  select history.*, users.user_id, users.team
  from {{ ref('int_ticket_status_history') }} as history
  left join {{ ref('stg_desk__users') }} as users on users.user_id = history.user_id

),

ended as (

  select *, coalesce(cast(valid_until as date), current_date()) as until_day from states

)

select
  source_relation,
  ticket_id,
  step,
  status,
  team,
  until_day,
  row_number() over (partition by source_relation, ticket_id order by until_day desc, step desc) as newest,
  lag(until_day) over (partition by source_relation, ticket_id order by step) as before_day
from ended
