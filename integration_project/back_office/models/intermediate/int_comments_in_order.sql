with comments as (

  select
    c.*,
    u.role,
    case when u.is_staff then 'agent' else 'customer' end as side
  from {{ ref('stg_desk__comments') }} as c
  left join {{ ref('stg_desk__users') }} as u on c.author_id = u.user_id

)

select
  comment_id,
  ticket_id,
  author_id,
  side,
  is_public,
  characters,
  created_at,
  row_number() over (partition by ticket_id order by created_at, comment_id) as comment_number,
  lag(side) over (partition by ticket_id order by created_at, comment_id) as previous_side,
  lag(created_at) over (partition by ticket_id order by created_at, comment_id) as previous_at,
  coalesce(lag(side) over (partition by ticket_id order by created_at, comment_id), 'nobody') <> side as side_changes
from comments
