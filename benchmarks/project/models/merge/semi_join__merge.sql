{{ config(materialized='incremental', incremental_strategy='merge', unique_key='o_orderkey') }}
{%- set lines = newest('lineitem') %}
{%- set orders = newest('orders') %}
{%- if is_incremental() %}
with touched as (
  select o_orderkey as orderkey from {{ changes('orders', orders) }}
  union
  select l_orderkey from {{ changes('lineitem', lines) }}
),
qualified as (
  select o_orderkey, o_totalprice from {{ at('orders', orders) }}
  where exists (
    select 1 from {{ at('lineitem', lines) }}
    where l_orderkey = o_orderkey and l_quantity > 49
  )
)
select orderkey as o_orderkey, o_totalprice, o_orderkey is null as is_deleted,
  {{ versions(lineitem=lines, orders=orders) }}
from touched left join qualified on o_orderkey = orderkey
{%- else %}
select o_orderkey, o_totalprice, false as is_deleted,
  {{ versions(lineitem=lines, orders=orders) }}
from {{ at('orders', orders) }}
where exists (
  select 1 from {{ at('lineitem', lines) }}
  where l_orderkey = o_orderkey and l_quantity > 49
)
{%- endif %}
