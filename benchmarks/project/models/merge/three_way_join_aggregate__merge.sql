{{ config(materialized='incremental', incremental_strategy='merge',
    unique_key=['c_nationkey', 'c_mktsegment']) }}
{%- set lines = newest('lineitem') %}
{%- set orders = newest('orders') %}
{%- set customers = newest('customer') %}
{%- if is_incremental() %}
with touched_customers as (
  select o_custkey from {{ changes('orders', orders) }}
  union
  select o_custkey from {{ at('orders', orders) }}
  where o_orderkey in (select l_orderkey from {{ changes('lineitem', lines) }})
),
touched as (
  select c_nationkey as nation, c_mktsegment as segment from {{ changes('customer', customers) }}
  union
  select c_nationkey, c_mktsegment from {{ at('customer', customers) }}
  where c_custkey in (select o_custkey from touched_customers)
),
joined as (
  select c_nationkey, c_mktsegment, l_extendedprice
  from {{ at('lineitem', lines) }}
  join {{ at('orders', orders) }} on o_orderkey = l_orderkey
  join {{ at('customer', customers) }} on c_custkey = o_custkey
)
select nation as c_nationkey, segment as c_mktsegment, count(c_nationkey) as n,
  sum(l_extendedprice) as price, count(c_nationkey) = 0 as is_deleted,
  {{ versions(lineitem=lines, orders=orders, customer=customers) }}
from touched left join joined on c_nationkey = nation and c_mktsegment = segment
group by nation, segment
{%- else %}
select c_nationkey, c_mktsegment, count(*) as n, sum(l_extendedprice) as price,
  false as is_deleted, {{ versions(lineitem=lines, orders=orders, customer=customers) }}
from {{ at('lineitem', lines) }}
join {{ at('orders', orders) }} on o_orderkey = l_orderkey
join {{ at('customer', customers) }} on c_custkey = o_custkey
group by c_nationkey, c_mktsegment
{%- endif %}
