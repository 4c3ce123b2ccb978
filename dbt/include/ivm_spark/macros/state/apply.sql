{#- Return the statement that changes the state: a MERGE or INSERT of the change, or a rebuild. -#}
{% macro ivm_apply(state, plan) -%}
  {%- if plan.statements -%}
    {{ return(ivm_write(state, plan.statements)) }}
  {%- endif -%}
  {{ return(ivm_create_state(state, plan)) }}
{%- endmacro %}

{#- Return the last statement of an incremental refresh: an INSERT or a MERGE. -#}
{% macro ivm_write(state, statements) -%}
  {{ return(ivm_insert(state, statements) if statements.is_insert else ivm_merge(state, statements)) }}
{%- endmacro %}
