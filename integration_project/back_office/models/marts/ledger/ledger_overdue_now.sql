select invoice_id, account_id, balance
from {{ ref('int_invoice_balances') }}
where due_on < current_date and balance > 0
