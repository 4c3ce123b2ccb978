select
  ticket_id,
  min(case when side = 'agent' and is_public then created_at end) as first_public_reply_at,
  count(*) as comments,
  sum(case when side = 'agent' then 1 else 0 end) as agent_comments,
  sum(case when side_changes and side = 'agent' then 1 else 0 end) as agent_turns,
  avg(case
    when side_changes and side = 'agent'
    then {{ dbt.datediff('previous_at', 'created_at', 'minute') }}
  end) as average_reply_minutes
from {{ ref('int_comments_in_order') }}
group by ticket_id
