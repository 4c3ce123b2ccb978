{#- Test that the query, the config and the sources' change feeds of a model allow incremental
    refreshes. The failing row says why not. The test plans as a run does, and reads no rows.

    techniques   the techniques that pass; by default all

    The techniques are `row_based`, `append`, `group_aggregate`, `affected_groups` and
    `affected_partitions`.
-#}
{% test is_incremental_view(model, techniques=none) -%}
  {#- dbt compile and dbt docs render tests too, and there may be no tables yet; under --empty and
      --sample, the model's text differs -#}
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
