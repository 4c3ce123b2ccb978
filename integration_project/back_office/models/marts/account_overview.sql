with support as (

  select account_id, tickets, had_urgent_ticket from {{ ref('desk_account_summary') }}

),

revenue as (

  select account_id, max(revenue_to_date) as revenue, avg(mrr) as average_mrr
  from {{ ref('subs_lifetime_revenue') }}
  group by account_id

),

visits as (

  select account_id, count(*) as sessions, max(ended_at) as last_seen_at
  from {{ ref('web_sessions') }}
  where account_id is not null
  group by account_id

),

owed as (

  select account_id, sum(over_60) as over_60, sum(not_due + up_to_30 + up_to_60 + over_60) as owed
  from {{ ref('ledger_aging_by_account') }}
  group by account_id

)

select
  a.account_id,
  a.account_name,
  a.country,
  s.tickets,
  s.had_urgent_ticket,
  coalesce(r.revenue, 0) as revenue,
  r.average_mrr,
  coalesce(v.sessions, 0) as sessions,
  v.last_seen_at,
  coalesce(o.owed, 0) as owed,
  case
    when coalesce(o.over_60, 0) > 0 and s.had_urgent_ticket then 'at risk'
    when coalesce(r.revenue, 0) = 0 then 'dormant'
    else 'healthy'
  end as health
from {{ ref('stg_subs__accounts') }} as a
left join support as s on a.account_id = s.account_id
left join revenue as r on a.account_id = r.account_id
left join visits as v on a.account_id = v.account_id
left join owed as o on a.account_id = o.account_id
