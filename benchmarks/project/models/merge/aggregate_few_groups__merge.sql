{{ config(materialized='incremental', incremental_strategy='merge', unique_key='l_shipmode') }}
{%- set upto = newest('lineitem') %}
{%- if is_incremental() %}
with touched as (select distinct l_shipmode as touched_key from {{ changes('lineitem', upto) }})
select touched_key as l_shipmode, count(l_shipmode) as n, sum(l_extendedprice) as price,
  avg(l_discount) as discount, count(l_shipmode) = 0 as is_deleted, {{ versions(lineitem=upto) }}
from touched left join {{ at('lineitem', upto) }} on l_shipmode = touched_key
group by touched_key
{%- else %}
select l_shipmode, count(*) as n, sum(l_extendedprice) as price, avg(l_discount) as discount,
  false as is_deleted, {{ versions(lineitem=upto) }}
from {{ at('lineitem', upto) }} group by l_shipmode
{%- endif %}
