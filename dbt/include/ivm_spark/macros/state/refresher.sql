{#- The refresh of this model, planned: `.plan`, `.commit(sql)`, `.again`. -#}
{% macro ivm_refresher(target, state, existing, stored) -%}
  {{ return(adapter.dispatch('ivm_refresher', 'dbt')(target, state, existing, stored)) }}
{%- endmacro %}

{% macro ivm_spark__ivm_refresher(target, state, existing, stored) -%}
  {%- do ivm_check_names(state) -%}
  {{ return(adapter.ivm_refresher(**ivm_request(
      model, compiled_code, target, existing, stored, should_full_refresh()))) }}
{%- endmacro %}

{#- What the planner wants to know of a model; node: as `model`, or in graph.nodes. -#}
{% macro ivm_request(node, sql, target, existing, stored, full_refresh) -%}
  {%- set built = [] -%}
  {%- for id in selected_resources if id in graph.nodes -%}
    {%- set other = graph.nodes[id] -%}
    {%- if other.relation_name -%}
      {%- set relation = api.Relation.create(schema=other.schema, identifier=other.alias) -%}
      {%- do built.extend([ivm_quoted(relation), ivm_quoted(ivm_state_relation(relation))]) -%}
    {%- endif -%}
  {%- endfor -%}
  {{ return({
      'model': node.unique_id,
      'sql': sql,
      'view': ivm_quoted(target),
      'state': ivm_quoted(ivm_state_relation(target)),
      'information': (existing.information or '')
        if existing is not none and existing.is_view else '',
      'described': ivm_described(node),
      'state_exists': stored is not none,
      'usurper': ivm_usurper(stored),
      'config': node.config,
      'full_refresh': full_refresh,
      'built': built,
      'limited': ivm_is_limited(),
  }) }}
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

{#- The descriptions that persist_docs puts on a node's view. -#}
{% macro ivm_described(node) -%}
  {%- set described = {} -%}
  {%- set persisted = node.config.get('persist_docs') or {} -%}
  {%- if persisted.get('relation') and node.description -%}
    {%- do described.update({'relation': node.description}) -%}
  {%- endif -%}
  {%- if persisted.get('columns') -%}
    {%- for name, column in node.columns.items() if column.description -%}
      {%- do described.update({'column ' ~ name: column.description}) -%}
    {%- endfor -%}
  {%- endif -%}
  {{ return(described) }}
{%- endmacro %}

{#- What stands in the state's place without being one: Delta can't replace it. -#}
{% macro ivm_usurper(stored) -%}
  {%- if stored is none or (stored.is_delta and not stored.is_view) -%}
    {{ return('') }}
  {%- endif -%}
  {{ return('a view' if stored.is_view else 'a table that is not in Delta') }}
{%- endmacro %}

{#- True under --empty and --sample, where refs are subqueries over some of the rows. -#}
{% macro ivm_is_limited() -%}
  {%- set given = invocation_args_dict.get('empty') or invocation_args_dict.get('sample') -%}
  {{ return(true if given else false) }}
{%- endmacro %}

{#- A relation's name as SQL in which every part is quoted. -#}
{% macro ivm_quoted(relation) -%}
  {{ return(adapter.quote(relation.schema) ~ '.' ~ adapter.quote(relation.identifier)) }}
{%- endmacro %}
