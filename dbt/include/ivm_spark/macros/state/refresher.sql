{#- The refresh of this model, planned: `.plan`, `.commit(sql)`, `.again`. -#}
{% macro ivm_refresher(target, state, existing, stored) -%}
  {{ return(adapter.dispatch('ivm_refresher', 'dbt')(target, state, existing, stored)) }}
{%- endmacro %}

{% macro ivm_spark__ivm_refresher(target, state, existing, stored) -%}
  {%- do ivm_check_names(state) -%}
  {{ return(adapter.ivm_refresher(**ivm_request(
      model, compiled_code, target, existing, stored, should_full_refresh()))) }}
{%- endmacro %}

{#- No other model, seed or snapshot may be where this model's state is. -#}
{% macro ivm_check_names(state) -%}
  {%- for node in graph.nodes.values()
      if node.relation_name and node.schema == state.schema
      and (node.alias | lower) == (state.identifier | lower) -%}
    {%- do exceptions.raise_compiler_error('Model ' ~ model.unique_id ~ ': its state is the table '
        ~ state ~ ', which is also the relation of ' ~ node.unique_id
        ~ '. Give one of them another name or alias.') -%}
  {%- endfor -%}
{%- endmacro %}

{#- A relation's name as SQL in which every part is quoted. -#}
{% macro ivm_quoted(relation) -%}
  {{ return(adapter.quote(relation.schema) ~ '.' ~ adapter.quote(relation.identifier)) }}
{%- endmacro %}
