{#- Return the planned refresh of this model: `.plan`, `.commit(sql)`, `.again`. -#}
{% macro ivm_refresher(target, state, existing, stored) -%}
  {{ return(adapter.dispatch('ivm_refresher', 'dbt')(target, state, existing, stored)) }}
{%- endmacro %}

{% macro ivm_spark__ivm_refresher(target, state, existing, stored) -%}
  {%- do ivm_check_names(state) -%}
  {{ return(adapter.ivm_refresher(**ivm_request(
      model, compiled_code, target, existing, stored, should_full_refresh()))) }}
{%- endmacro %}

{#- Raise an error if another model, seed or snapshot is where this model's state is. -#}
{% macro ivm_check_names(state) -%}
  {%- set other = ivm_of_run().places.get(ivm_quoted(state) | lower) -%}
  {%- if other is not none -%}
    {%- do exceptions.raise_compiler_error('Model ' ~ model.unique_id ~ ': its state is the table '
        ~ state ~ ', which is also the relation of ' ~ other
        ~ '. Give one of them another name or alias.') -%}
  {%- endif -%}
{%- endmacro %}

{#- Return a relation's name as SQL, with every part quoted. -#}
{% macro ivm_quoted(relation) -%}
  {{ return(relation.full_name) }}
{%- endmacro %}
