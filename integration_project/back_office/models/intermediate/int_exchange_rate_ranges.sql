select
  currency,
  valid_from,
  coalesce(
    lead(valid_from) over (partition by currency order by valid_from),
    cast('2100-01-01' as date)
  ) as valid_until,
  rate_to_eur
from {{ ref('stg_ledger__exchange_rates') }}

union all

select 'EUR', cast('2000-01-01' as date), cast('2100-01-01' as date), cast(1 as double)
