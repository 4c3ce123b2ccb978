select order_id, customer_id, ordered_on, status
from {{ source('shop', 'orders') }}
