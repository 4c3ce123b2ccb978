{{ config(materialized='ivm') }}

select
  c.customer_id,
  c.country,
  c.segment,
  sum(s.amount) as revenue,
  avg(s.amount) as average_line,
  count(*) as lines
from {{ ref('sales') }} s
join {{ ref('stg_customers') }} c on s.customer_id = c.customer_id
group by c.customer_id, c.country, c.segment
