{{ config(materialized='incremental', incremental_strategy='merge', unique_key='l_partkey') }}
{%- set upto = newest('lineitem') %}
{%- if is_incremental() %}
with touched as (select distinct l_partkey as touched_key from {{ changes('lineitem', upto) }})
select touched_key as l_partkey, count(l_partkey) as n, sum(l_extendedprice) as price,
  count(l_partkey) = 0 as is_deleted, {{ versions(lineitem=upto) }}
from touched left join {{ at('lineitem', upto) }} on l_partkey = touched_key
group by touched_key
{%- else %}
select l_partkey, count(*) as n, sum(l_extendedprice) as price,
  false as is_deleted, {{ versions(lineitem=upto) }}
from {{ at('lineitem', upto) }} group by l_partkey
{%- endif %}
