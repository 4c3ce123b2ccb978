{{ config(materialized='ivm') }}

select ordered_on, count(distinct order_id) as orders, sum(amount) as revenue
from {{ ref('sales') }}
group by ordered_on
