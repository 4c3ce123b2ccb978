select product_id, name, category, price
from {{ source('shop', 'products') }}
