select distinct country, symbol
from {{ ref('fact_trades') }}
where status = 'Completed'
