{#- Return what a test of rows has to read of a model: `rows`, a relation with all of its rows or
    with those that refreshes have added since the test has passed, and what `ivm_tested` needs. -#}
{% macro ivm_rows_to_test(model, expression=none) -%}
  {%- set node = graph.nodes.get(config.model.attached_node) if execute else none -%}
  {%- set found = {'rows': model, 'whole': true, 'span': none} -%}
  {%- if node is none or node.config.materialized != 'ivm' or ivm_is_limited()
      or flags.WHICH not in ('test', 'build')
      or not adapter.ivm_tests().is_of_one_row(config.get('where'), expression) -%}
    {{ return(found) }}
  {%- endif -%}
  {%- set relation = ivm_relation_at(node) -%}
  {%- do found.update(ivm_span(relation, ivm_test_name(expression))) -%}
  {%- if not found.whole -%}
    {%- do found.update({'rows': ivm_changed_rows(relation, found.span, 'I', config.get('where'))}) -%}
  {%- endif -%}
  {{ return(found) }}
{%- endmacro %}

{#- Return the name of this test: another condition is another test. -#}
{% macro ivm_test_name(expression=none) -%}
  {{ return([config.model.unique_id, config.get('where') or '', expression or ''] | join('\n')) }}
{%- endmacro %}

{#- Return how far a test of that name has come with a relation. -#}
{% macro ivm_span(relation, test) -%}
  {%- set records = ivm_quoted(api.Relation.create(
      database=relation.database, schema=relation.schema, identifier='ivm_tested')) -%}
  {%- set span = adapter.ivm_tests().span(
      ivm_quoted(relation), ivm_quoted(ivm_state_relation(relation)), records, test) -%}
  {{ return({'whole': span.whole, 'span': span, 'records': records, 'test': test}) }}
{%- endmacro %}

{#- Return the rows that a view has gained (I) or lost (D) since a test has passed. -#}
{% macro ivm_changed_rows(relation, span, change, where=none) -%}
  {%- set changes = ivm_changes(relation, since=span.since, until=span.now, updates='rows') -%}
  {{ return('(select * from ' ~ changes ~ ' as changes where `__ivm_change` = ' ~ "'" ~ change ~ "'"
      ~ (' and (' ~ where ~ ')' if where else '') ~ ')') }}
{%- endmacro %}

{#- Return the SELECT of a test's failures. If it has none, record that for the next run of the
    test, and return a SELECT without rows. -#}
{% macro ivm_tested(spans, failures) -%}
  {%- set known = spans | selectattr('span') | list -%}
  {%- if not execute or not known -%}
    {{ return(failures) }}
  {%- endif -%}
  {%- set old = known | rejectattr('span.empty') | list -%}
  {%- if old and run_query('select 1 as failed from (' ~ failures ~ ') as failures limit 1').rows -%}
    {{ return(failures) }}
  {%- endif -%}
  {%- for one in old -%}
    {%- do adapter.ivm_tests().passed(one.records, one.test, one.span) -%}
  {%- endfor -%}
  {{ return('select 1 as failed where false') }}
{%- endmacro %}
