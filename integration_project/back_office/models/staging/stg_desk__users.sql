select
  cast(id as bigint) as user_id,
  name as user_name,
  role,
  nullif(team, '') as team,
  cast(account_id as bigint) as account_id,
  cast(is_active as boolean) as is_active,
  role in ('agent', 'admin') as is_staff
from {{ source('desk', 'raw_desk_users') }}
