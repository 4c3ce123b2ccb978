{{ config(materialized='incremental', incremental_strategy='merge', unique_key='c_mktsegment') }}
{%- set orders = newest('orders') %}
{%- set customers = newest('customer') %}
{%- if is_incremental() %}
with touched as (
  select c_mktsegment as segment from {{ changes('customer', customers) }}
  union
  select c_mktsegment from {{ at('customer', customers) }}
  where c_custkey in (select o_custkey from {{ changes('orders', orders) }})
),
joined as (
  select c_mktsegment, o_orderkey, o_totalprice
  from {{ at('customer', customers) }} left join {{ at('orders', orders) }}
    on o_custkey = c_custkey
)
select segment as c_mktsegment, count(o_orderkey) as orders, sum(o_totalprice) as price,
  count(c_mktsegment) = 0 as is_deleted, {{ versions(orders=orders, customer=customers) }}
from touched left join joined on c_mktsegment = segment group by segment
{%- else %}
select c_mktsegment, count(o_orderkey) as orders, sum(o_totalprice) as price,
  false as is_deleted, {{ versions(orders=orders, customer=customers) }}
from {{ at('customer', customers) }} left join {{ at('orders', orders) }}
  on o_custkey = c_custkey
group by c_mktsegment
{%- endif %}
