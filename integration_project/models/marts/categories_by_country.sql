{{ config(materialized='ivm') }}

select distinct c.country, p.category
from {{ ref('sales') }} s
join {{ ref('stg_customers') }} c on s.customer_id = c.customer_id
join {{ ref('stg_products') }} p on s.product_id = p.product_id
