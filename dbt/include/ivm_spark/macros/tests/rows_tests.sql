{#- Test that a column is never NULL, as dbt's not_null. It reads the whole view once, and then the
    rows that refreshes have added. -#}
{% test ivm_not_null(model, column_name) -%}
  {%- set found = ivm_rows_to_test(model) -%}
  {{ ivm_tested([found], 'select * from ' ~ found.rows ~ ' where ' ~ column_name
      ~ ' is null') }}
{%- endtest %}

{#- Test that a column has only these values, as dbt's accepted_values. It reads the whole view once,
    and then the rows that refreshes have added. -#}
{% test ivm_accepted_values(model, column_name, values, quote=true) -%}
  {%- set found = ivm_rows_to_test(model) -%}
  {%- set allowed = [] -%}
  {%- for value in values -%}
    {%- do allowed.append(adapter.ivm_literal(value) if quote else value | string) -%}
  {%- endfor -%}
  {{ ivm_tested([found], 'select ' ~ column_name ~ ' as value_field, count(*) as n_records from '
      ~ found.rows ~ ' where ' ~ column_name ~ ' not in (' ~ allowed | join(', ')
      ~ ') group by ' ~ column_name) }}
{%- endtest %}

{#- Test that a condition holds for each row, as dbt_utils.expression_is_true. It reads the whole view
    once, and then the rows that refreshes have added. -#}
{% test ivm_expression_is_true(model, expression, column_name=none) -%}
  {%- set condition = (column_name ~ ' ' ~ expression) if column_name else expression -%}
  {%- set found = ivm_rows_to_test(model, condition) -%}
  {{ ivm_tested([found], 'select * from ' ~ found.rows ~ ' where not(' ~ condition
      ~ ')') }}
{%- endtest %}

{#- Test that no value of a column is there twice, as dbt's unique. It reads the whole view once, and
    then looks up the values of the rows that refreshes have added. -#}
{% test ivm_unique(model, column_name) -%}
  {%- set found = ivm_rows_to_test(model) -%}
  {%- set among = '' if found.whole else ' and ' ~ column_name ~ ' in (select ' ~ column_name
      ~ ' from ' ~ found.rows ~ ')' -%}
  {{ ivm_tested([found], 'select ' ~ column_name ~ ' as unique_field, count(*) as n_records from '
      ~ model ~ ' where ' ~ column_name ~ ' is not null' ~ among ~ ' group by '
      ~ column_name ~ ' having count(*) > 1') }}
{%- endtest %}

{#- Test that each value of a column is one of another relation's, as dbt's relationships. It reads
    both once. Then it looks up the values of added rows, and those that the other relation has lost
    if that is an ivm model. -#}
{% test ivm_relationships(model, column_name, to, field) -%}
  {%- set found = ivm_rows_to_test(model) -%}
  {%- set parent = ivm_parent_to_test(to, found) -%}
  {%- set orphans = 'select child.from_field from (select ' ~ column_name ~ ' as from_field from {0} '
      ~ 'where ' ~ column_name ~ ' is not null) as child left anti join (select ' ~ field
      ~ ' as to_field from ' ~ to ~ ') as parent on child.from_field = parent.to_field' -%}
  {%- if found.whole or parent.whole -%}
    {{ return(ivm_tested([found, parent], orphans.format(model))) }}
  {%- endif -%}
  {%- set left = orphans.format(model) ~ ' where child.from_field in (select ' ~ field ~ ' from '
      ~ parent.rows ~ ')' -%}
  {{ ivm_tested([found, parent], orphans.format(found.rows) ~ ' union all ' ~ left) }}
{%- endtest %}

{#- Return what a test of relationships has to read of the rows that a parent has lost. A parent that
    is no ivm model is read as a whole. -#}
{% macro ivm_parent_to_test(to, found) -%}
  {%- if not execute or found.span is none or to is string -%}
    {{ return({'whole': true, 'span': none}) }}
  {%- endif -%}
  {%- set parent = ivm_span(to, ivm_test_name() ~ '\nto') -%}
  {%- if not parent.whole -%}
    {%- do parent.update({'rows': ivm_changed_rows(to, parent.span, 'D')}) -%}
  {%- elif parent.span.now is none -%}
    {%- do parent.update({'span': none}) -%}
  {%- endif -%}
  {{ return(parent) }}
{%- endmacro %}
