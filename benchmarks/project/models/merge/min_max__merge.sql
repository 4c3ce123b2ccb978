{{ config(materialized='incremental', incremental_strategy='merge', unique_key='l_suppkey') }}
{%- set upto = newest('lineitem') %}
{%- if is_incremental() %}
with touched as (select distinct l_suppkey as touched_key from {{ changes('lineitem', upto) }})
select touched_key as l_suppkey, min(l_shipdate) as first, max(l_extendedprice) as dearest,
  count(l_suppkey) = 0 as is_deleted, {{ versions(lineitem=upto) }}
from touched left join {{ at('lineitem', upto) }} on l_suppkey = touched_key
group by touched_key
{%- else %}
select l_suppkey, min(l_shipdate) as first, max(l_extendedprice) as dearest,
  false as is_deleted, {{ versions(lineitem=upto) }}
from {{ at('lineitem', upto) }} group by l_suppkey
{%- endif %}
