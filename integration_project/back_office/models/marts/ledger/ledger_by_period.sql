with periods as (

  select m.month_start, g.gl_code, g.gl_name, g.kind
  from {{ ref('int_calendar_months') }} as m
  cross join {{ ref('stg_ledger__gl_accounts') }} as g

),

moved as (

  select
    gl_code,
    cast({{ dbt.date_trunc('month', 'entered_on') }} as date) as month_start,
    sum(amount_eur) as amount_eur
  from {{ ref('int_ledger_entries_eur') }}
  group by 1, 2

)

select
  p.month_start,
  p.gl_code,
  p.gl_name,
  p.kind,
  coalesce(m.amount_eur, 0) as amount_eur
from periods as p
left join moved as m on p.gl_code = m.gl_code and p.month_start = m.month_start
