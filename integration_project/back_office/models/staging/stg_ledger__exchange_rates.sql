select
  currency,
  cast(valid_from as date) as valid_from,
  cast(rate_to_eur as double) as rate_to_eur
from {{ source('ledger', 'raw_ledger_exchange_rates') }}
