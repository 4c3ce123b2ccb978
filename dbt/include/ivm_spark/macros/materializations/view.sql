{#- dbt-spark's view. If an ivm model's view was here before, its state is dropped. -#}
{% materialization view, adapter='ivm_spark' -%}
  {%- set state = adapter.ivm_state_of(this) -%}
  {%- set built = create_or_replace_view() -%}
  {%- do drop_relation_if_exists(state) -%}
  {{ return(built) }}
{%- endmaterialization %}
