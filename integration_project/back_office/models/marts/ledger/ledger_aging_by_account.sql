select
  a.account_id,
  a.account_name,
  g.currency,
  sum(case when g.bucket = 'not due' then g.balance else 0 end) as not_due,
  sum(case when g.bucket = '1-30' then g.balance else 0 end) as up_to_30,
  sum(case when g.bucket = '31-60' then g.balance else 0 end) as up_to_60,
  sum(case when g.bucket = 'over 60' then g.balance else 0 end) as over_60
from {{ ref('ledger_aging') }} as g
inner join {{ ref('stg_subs__accounts') }} as a on g.account_id = a.account_id
group by a.account_id, a.account_name, g.currency
