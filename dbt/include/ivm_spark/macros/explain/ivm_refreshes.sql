{#- Write the table of the refreshes of all ivm models, `<schema of the target>.ivm_refreshes`.

    The table repeats the commits of the states, so that SQL can query them. No refresh reads it.

    on-run-end: "{{ ivm_record_refreshes(results) }}"    each run adds its own, in one statement
    dbt run-operation ivm_refreshes                      adds all that the states' logs have

    keep   how many refreshes of each model the table keeps
-#}
{% macro ivm_refreshes(keep=100) -%}
  {%- set log = adapter.ivm_refresh_log() -%}
  {%- set states = [] -%}
  {%- for node in ivm_nodes() -%}
    {%- set state = ivm_state_relation(ivm_relation_at(node)) -%}
    {%- set stored = ivm_found(state) -%}
    {%- if not ivm_occupied_by(stored) and stored is not none -%}
      {%- do states.append((node.unique_id, node.schema ~ '.' ~ node.alias, ivm_quoted(state))) -%}
    {%- endif -%}
  {%- endfor -%}
  {%- set batch = log.of_histories(states, keep) -%}
  {%- set failed = ivm_write_refreshes(log, batch, keep, anew=true) -%}
  {%- if failed -%}
    {%- do exceptions.raise_database_error(failed) -%}
  {%- endif -%}
  {%- do print(ivm_refreshes_relation() ~ ': ' ~ batch.count ~ ' refreshes from the states of '
      ~ states | length ~ ' models') -%}
{%- endmacro %}

{#- For on-run-end. If a run's models had nothing to do, it writes nothing. If the refreshes can't
    be recorded, it only warns. -#}
{% macro ivm_record_refreshes(results, keep=100) -%}
  {%- if execute -%}
    {%- set log = adapter.ivm_refresh_log() -%}
    {%- set batch = log.of_results(results) -%}
    {%- set failed = ivm_write_refreshes(log, batch, keep, anew=batch.trims) -%}
    {%- if failed -%}
      {%- do exceptions.warn('The refreshes of this run are not in ' ~ ivm_refreshes_relation()
          ~ '. Run `dbt run-operation ivm_refreshes` to add them. ' ~ failed) -%}
    {%- endif -%}
  {%- endif -%}
{%- endmacro %}

{#- Return the relation of the table of refreshes. -#}
{% macro ivm_refreshes_relation() -%}
  {{ return(adapter.dispatch('ivm_refreshes_relation', 'dbt')()) }}
{%- endmacro %}

{% macro ivm_spark__ivm_refreshes_relation() -%}
  {{ return(api.Relation.create(
      database=target.database, schema=target.schema, identifier='ivm_refreshes',
      type='table')) }}
{%- endmacro %}

{#- Write a batch, and return why that failed; empty if it succeeded. With anew, it rewrites and so
    trims the table; otherwise it appends the batch. -#}
{% macro ivm_write_refreshes(log, batch, keep, anew) -%}
  {%- set table = ivm_refreshes_relation() -%}
  {%- set statements = [] -%}
  {%- if batch.rows or anew -%}
    {%- set stored = ivm_found(table) -%}
    {%- if stored is none -%}
      {%- do adapter.create_schema(table) -%}
      {%- do statements.append(ivm_create_refreshes(table, log.columns)) -%}
      {%- do adapter.cache_added(table) -%}
    {%- endif -%}
  {%- endif -%}
  {%- if batch.rows -%}
    {%- do statements.append(
        ivm_rewrite_refreshes(table, log.columns, batch.rows, keep) if anew
        else ivm_append_refreshes(table, log.columns, batch.rows)) -%}
  {%- endif -%}
  {{ return(log.attempt(statements)) }}
{%- endmacro %}

{% macro ivm_create_refreshes(table, columns) -%}
create table if not exists {{ ivm_quoted(table) }} (
{%- for name, type, meaning in columns %}
  {{ name }} {{ type }} comment {{ adapter.ivm_literal(meaning) }}{{ ',' if not loop.last }}
{%- endfor %}
)
using delta
tblproperties ('delta.enableChangeDataFeed' = 'false')
{%- endmacro %}

{% macro ivm_append_refreshes(table, columns, rows) -%}
insert into {{ ivm_quoted(table) }}
{{ ivm_told_refreshes(columns, rows) }}
{%- endmacro %}

{% macro ivm_rewrite_refreshes(table, columns, rows, keep) -%}
{%- set names = columns | map(attribute=0) | join(', ') -%}
insert overwrite {{ ivm_quoted(table) }}
with told as (
  {{ ivm_told_refreshes(columns, rows) }}
),
every as (
  select {{ names }} from told
  union all
  select {{ names }} from {{ ivm_quoted(table) }} as kept
  left anti join told
    on kept.relation = told.relation and kept.refresh = told.refresh
    and kept.started_at = told.started_at
)
select {{ names }}
from (
  select *, row_number() over (partition by relation order by started_at desc) as place
  from every
)
where place <= {{ keep }}
{%- endmacro %}

{#- Return records as rows of the table. -#}
{% macro ivm_told_refreshes(columns, rows) -%}
{%- set row -%}
array<struct<{% for name, type, meaning in columns %}{{ name }}: {{ type }}{{ ', ' if not loop.last }}{% endfor %}>>
{%- endset -%}
select inline(from_json({{ adapter.ivm_literal(rows) }}, {{ adapter.ivm_literal(row) }}))
{%- endmacro %}
