{#- The statement that changes the state: what its plan has, a MERGE, an INSERT or a rebuild. -#}
{% macro ivm_apply(state, plan) -%}
  {%- if plan.appends -%}
    {{ return(ivm_append(state, plan)) }}
  {%- elif plan.merge -%}
    {{ return(ivm_merge(state, plan)) }}
  {%- endif -%}
  {{ return(ivm_create_state(state, plan)) }}
{%- endmacro %}
