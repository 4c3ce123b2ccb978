{{ config(materialized='incremental', incremental_strategy='merge',
    unique_key=['l_partkey', 'l_suppkey']) }}
{%- set upto = newest('lineitem') %}
{%- if is_incremental() %}
with touched as (
  select distinct l_partkey as partkey, l_suppkey as suppkey from {{ changes('lineitem', upto) }}
)
select partkey as l_partkey, suppkey as l_suppkey, count(l_partkey) = 0 as is_deleted,
  {{ versions(lineitem=upto) }}
from touched left join {{ at('lineitem', upto) }}
  on l_partkey = partkey and l_suppkey = suppkey
group by partkey, suppkey
{%- else %}
select distinct l_partkey, l_suppkey, false as is_deleted, {{ versions(lineitem=upto) }}
from {{ at('lineitem', upto) }}
{%- endif %}
