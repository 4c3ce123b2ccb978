select
  b.account_id,
  count(*) as paid_invoices,
  avg({{ dbt.datediff('b.due_on', 'b.last_paid_on', 'day') }}) as average_days_late,
  max({{ dbt.datediff('b.due_on', 'b.last_paid_on', 'day') }}) as most_days_late
from {{ ref('int_invoice_balances') }} as b
where b.last_paid_on is not null
group by b.account_id
