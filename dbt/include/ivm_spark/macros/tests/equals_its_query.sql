{#- Test the one rule: an ivm model equals its query at the recorded versions of its sources, as a
    bag. Later changes of the sources do not matter.

    sample    a fraction: compares that part of the groups, or of the rows if there are no groups,
              the same ones on both sides
    exclude   columns that the test does not compare, because the query leaves their values open

    A failing row has `ivm_difference` and `ivm_copies`. `surplus`: the view has the row and its query
    does not; `missing`: the reverse. `ivm_copies` is the number of surplus or missing copies.
-#}
{% test equals_its_query(model, sample=none, exclude=none) %}
  {%- if not execute -%}
    {{ return('select 1 as parsing') }}
  {%- endif -%}
  {%- set node = graph.nodes.get(config.model.attached_node) -%}
  {%- if node is none or node.config.materialized != 'ivm' -%}
    {%- do exceptions.raise_compiler_error('The test equals_its_query needs a model with '
        ~ "materialized='ivm'; " ~ (node.name if node is not none else model) ~ ' is not one.') -%}
  {%- endif -%}
  {%- set relation = ivm_relation_at(node) -%}
  {%- set state = ivm_state_relation(relation) -%}
  {%- if ivm_found(state) is none -%}
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
