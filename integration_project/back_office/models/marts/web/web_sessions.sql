select
  s.*,
  v.account_id,
  a.industry,
  {{ dbt.datediff('s.started_at', 's.ended_at', 'second') }} as seconds
from {{ ref('int_sessions') }} as s
left join {{ ref('int_visitor_accounts') }} as v on s.visitor_id = v.visitor_id
left join {{ ref('stg_subs__accounts') }} as a on v.account_id = a.account_id
