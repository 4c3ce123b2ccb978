{#- The sessions of an account before each of its conversions. -#}
select
  c.conversion_id,
  c.account_id,
  c.kind,
  c.amount,
  c.converted_at,
  s.session_id,
  s.utm_source,
  s.utm_campaign,
  s.started_at,
  count(*) over (partition by c.conversion_id) as touches,
  row_number() over (partition by c.conversion_id order by s.started_at, s.session_id) as touch_number
from {{ ref('stg_web__conversions') }} as c
inner join {{ ref('int_visitor_accounts') }} as v on c.account_id = v.account_id
inner join {{ ref('int_sessions') }} as s
  on v.visitor_id = s.visitor_id
  and s.started_at <= c.converted_at
  and s.started_at >= {{ dbt.dateadd('day', -60, 'c.converted_at') }}
