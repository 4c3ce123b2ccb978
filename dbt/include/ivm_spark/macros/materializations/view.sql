{#- dbt-spark's view; where an ivm model's view was before, the state of that goes. -#}
{% materialization view, adapter='ivm_spark' -%}
  {%- set state = adapter.ivm_state_of(this) -%}
  {%- set built = create_or_replace_view() -%}
  {%- do drop_relation_if_exists(state) -%}
  {{ return(built) }}
{%- endmaterialization %}
