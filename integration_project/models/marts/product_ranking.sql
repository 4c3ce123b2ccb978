{{ config(materialized='ivm') }}

select
  product_id,
  sum(quantity) as sold,
  rank() over (order by sum(quantity) desc) as place
from {{ ref('sales') }}
group by product_id
