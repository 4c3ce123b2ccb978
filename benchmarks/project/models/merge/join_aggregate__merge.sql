{{ config(materialized='incremental', incremental_strategy='merge', unique_key='o_custkey') }}
{%- set lines = newest('lineitem') %}
{%- set orders = newest('orders') %}
{%- if is_incremental() %}
with touched as (
  select o_custkey as touched_key from {{ changes('orders', orders) }}
  union
  select o_custkey from {{ at('orders', orders) }}
  where o_orderkey in (select l_orderkey from {{ changes('lineitem', lines) }})
),
joined as (
  select o_custkey, l_extendedprice
  from {{ at('lineitem', lines) }} join {{ at('orders', orders) }}
    on o_orderkey = l_orderkey
)
select touched_key as o_custkey, count(o_custkey) as n, sum(l_extendedprice) as price,
  count(o_custkey) = 0 as is_deleted, {{ versions(lineitem=lines, orders=orders) }}
from touched left join joined on o_custkey = touched_key group by touched_key
{%- else %}
select o_custkey, count(*) as n, sum(l_extendedprice) as price,
  false as is_deleted, {{ versions(lineitem=lines, orders=orders) }}
from {{ at('lineitem', lines) }} join {{ at('orders', orders) }}
  on o_orderkey = l_orderkey
group by o_custkey
{%- endif %}
