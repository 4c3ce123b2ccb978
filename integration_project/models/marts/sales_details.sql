{{ config(materialized='ivm') }}

select s.order_id, s.line_number, s.ordered_on, c.name as customer, p.name as product, s.quantity, s.amount
from {{ ref('sales') }} s
join {{ ref('stg_customers') }} c on s.customer_id = c.customer_id
join {{ ref('stg_products') }} p on s.product_id = p.product_id
