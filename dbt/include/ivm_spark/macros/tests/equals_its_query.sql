{#- The one rule as a test: an ivm model equals its query at the recorded versions of its sources,
    as a bag, however far the sources have moved on since.

    sample    a fraction: compares so many of the rows (of the groups, where it has any), the same
              ones on both sides
    exclude   columns that are not compared, for a query whose result is open in them

    A failing row is a row of the view that its query has not (ivm_difference: surplus) or a row of
    its query that the view has not (missing), with the number of copies that it is so by.
-#}
{% test equals_its_query(model, sample=none, exclude=none) %}
  {%- if not execute -%}
    {{ return('select 1 as parsing') }}
  {%- endif -%}
  {%- set node = graph.nodes.get(config.model.attached_node) -%}
  {%- if node is none or node.config.materialized != 'ivm' -%}
    {%- do exceptions.raise_compiler_error('The test equals_its_query is for models with '
        ~ "materialized='ivm', and " ~ (node.name if node is not none else model) ~ ' is none.') -%}
  {%- endif -%}
  {%- set relation = api.Relation.create(schema=node.schema, identifier=node.alias) -%}
  {%- set state = ivm_state_relation(relation) -%}
  {%- if adapter.get_relation(
      database=none, schema=state.schema, identifier=state.identifier) is none -%}
    {%- if flags.WHICH in ('compile', 'generate', 'docs') -%}
      {{ return('select 1 as not_built where false') }}
    {%- endif -%}
    {%- do exceptions.raise_compiler_error('equals_its_query of ' ~ node.name ~ ': it has not been '
        ~ 'built. Build it: dbt run --select ' ~ node.name) -%}
  {%- endif -%}
  {%- if ivm_is_limited() -%}
    {{ return('select 1 as some_rows_only where false') }}
  {%- endif -%}
  {%- set comparison = adapter.ivm_comparison(node.unique_id, model=node.name,
      view=ivm_quoted(relation), state=ivm_quoted(state),
      sample=sample, exclude=exclude) -%}
  {{ ivm_differences_sql(comparison, config.get('where')) }}
{% endtest %}
