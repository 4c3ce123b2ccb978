{{ config(materialized='ivm') }}

select p.category, min(l.unit_price) as lowest, max(l.unit_price) as highest
from {{ ref('stg_order_lines') }} l
join {{ ref('stg_products') }} p on l.product_id = p.product_id
group by p.category
