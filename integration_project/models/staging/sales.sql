{{ config(materialized='ephemeral') }}

select l.order_id, l.line_number, o.customer_id, o.ordered_on, l.product_id, l.quantity, l.unit_price, l.amount
from {{ ref('stg_order_lines') }} l
join {{ ref('stg_orders') }} o on l.order_id = o.order_id
where o.status <> 'cancelled'
