{{ config(materialized='incremental', incremental_strategy='merge',
    unique_key=['l_orderkey', 'l_linenumber']) }}
{%- set lines = newest('lineitem') %}
{%- set orders = newest('orders') %}
{%- if is_incremental() %}
with touched as (
  select l_orderkey as orderkey, l_linenumber as linenumber from {{ changes('lineitem', lines) }}
  union
  select l_orderkey, l_linenumber from {{ at('lineitem', lines) }}
  where l_orderkey in (select o_orderkey from {{ changes('orders', orders) }})
),
joined as (
  select l_orderkey, l_linenumber, l_quantity, l_extendedprice, o_custkey, o_orderdate
  from {{ at('lineitem', lines) }} join {{ at('orders', orders) }}
    on o_orderkey = l_orderkey
  where l_quantity > 25
)
select orderkey as l_orderkey, linenumber as l_linenumber, l_quantity, l_extendedprice, o_custkey,
  o_orderdate, l_orderkey is null as is_deleted, {{ versions(lineitem=lines, orders=orders) }}
from touched left join joined on l_orderkey = orderkey and l_linenumber = linenumber
{%- else %}
select l_orderkey, l_linenumber, l_quantity, l_extendedprice, o_custkey, o_orderdate,
  false as is_deleted, {{ versions(lineitem=lines, orders=orders) }}
from {{ at('lineitem', lines) }} join {{ at('orders', orders) }}
  on o_orderkey = l_orderkey
where l_quantity > 25
{%- endif %}
