{#- A generic test: the model is maintained incrementally, as far as its query, its config and its
    sources' change feeds go; its row says why not. It plans as a run does and reads no rows.

    techniques   those that will do: row_based, append, group_aggregate, affected_groups,
                 affected_partitions; all of them if none is named
-#}
{% test is_incremental_view(model, techniques=none) -%}
  {#- dbt compile and dbt docs render tests too, where there may be no tables yet; under --empty and
      --sample the model's text is another -#}
  {%- set faults = [] -%}
  {%- if execute and flags.WHICH not in ('compile', 'generate') and not ivm_is_limited() -%}
    {%- set faults = ivm_explainer(ivm_node_at(model)).faults(techniques) -%}
  {%- endif -%}
  {%- for fault in faults %}
select
    {%- for name, text in fault.items() %}
  {{ adapter.ivm_literal(text) }} as {{ name }}{{ ',' if not loop.last }}
    {%- endfor %}
  {%- else %}
select cast(null as string) as model where false
  {%- endfor %}
{%- endtest %}
