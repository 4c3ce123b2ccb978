{{ config(materialized='ivm') }}

select segment, count(*) as customers, sum(revenue) as revenue
from {{ ref('revenue_by_customer') }}
group by segment
