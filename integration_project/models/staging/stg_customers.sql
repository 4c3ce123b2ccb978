select customer_id, name, country, segment
from {{ source('shop', 'customers') }}
