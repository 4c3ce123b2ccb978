{{ config(materialized='incremental', incremental_strategy='merge', unique_key='o_custkey') }}
{%- set upto = newest('orders') %}
{%- if is_incremental() %}
with touched as (select distinct o_custkey as custkey from {{ changes('orders', upto) }}),
placed as (
  select o_custkey, o_orderkey, o_orderdate,
    row_number() over (partition by o_custkey order by o_orderdate desc, o_orderkey) as place
  from {{ at('orders', upto) }}
  where o_custkey in (select custkey from touched)
)
select custkey as o_custkey, o_orderkey, o_orderdate, o_custkey is null as is_deleted,
  {{ versions(orders=upto) }}
from touched left join placed on o_custkey = custkey and place = 1
{%- else %}
select o_custkey, o_orderkey, o_orderdate, false as is_deleted, {{ versions(orders=upto) }}
from (
  select o_custkey, o_orderkey, o_orderdate,
    row_number() over (partition by o_custkey order by o_orderdate desc, o_orderkey) as place
  from {{ at('orders', upto) }}
) where place = 1
{%- endif %}
