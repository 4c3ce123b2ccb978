{{ config(materialized='incremental', incremental_strategy='merge',
    unique_key=['l_orderkey', 'l_linenumber']) }}
{%- set upto = newest('lineitem') %}
{%- if is_incremental() %}
{#- a line's newest state: of one commit, what it became and not what it was #}
with newest as (
  select l_orderkey, l_linenumber, max_by(
    struct(l_quantity, _change_type), struct(_commit_version, _change_type <> 'update_preimage')
  ) as line
  from {{ changes('lineitem', upto) }} group by l_orderkey, l_linenumber
  having max(l_quantity) > 45
)
select l_orderkey, l_linenumber, line.l_quantity,
  line._change_type = 'delete' or line.l_quantity <= 45 as is_deleted,
  {{ versions(lineitem=upto) }}
from newest
{%- else %}
select l_orderkey, l_linenumber, l_quantity, false as is_deleted, {{ versions(lineitem=upto) }}
from {{ at('lineitem', upto) }} where l_quantity > 45
{%- endif %}
