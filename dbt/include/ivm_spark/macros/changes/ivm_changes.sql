{#- Return the changes of an ivm model between two of its refreshes, as a subquery for a FROM
    clause. With `model`, print them instead:

        dbt run-operation ivm_changes --args '{model: revenue, since: 3}'

    since, until   the number of a refresh, a time as text, or {refresh: n}, {version: n},
                   {timestamp: t}; without since: the view's contents, as inserts; without
                   until: up to now
    form           compressed: the net change; transactional: the changes of each refresh
    updates        pairs: a changed row is one row U, with the old values in __ivm_old;
                   rows: it is a D and an I
    consumer       a name: the changes since this model last read under that name
    model, limit   for run-operation: the model's name, and how many rows to print

    The columns are the view's and these: `__ivm_change` (I, D, U); `__ivm_old` (a struct, NULL
    unless the change is a U); `__ivm_refresh`, `__ivm_version` and `__ivm_time` of the last refresh
    that changed the row.
-#}
{% macro ivm_changes(relation=none, since=none, until=none, form='compressed', updates='pairs',
                     consumer=none, model=none, limit=100) -%}
  {%- if not execute -%}
    {{ return('(select 1 as parsing)') }}
  {%- endif -%}
  {%- set view = relation if relation is not none else ivm_relation_of(model) -%}
  {%- set reader = adapter.ivm_feed() -%}
  {%- set view_name = ivm_quoted(view) -%}
  {%- if consumer -%}
    {%- set since = ivm_position(reader, consumer, view_name) -%}
  {%- endif -%}
  {%- set feed = reader.feed(view_name, ivm_quoted(ivm_state_relation(view)),
                             since=since, until=until, form=form, updates=updates) -%}
  {%- if consumer -%}
    {%- do reader.advance(consumer, view_name, feed) -%}
  {%- endif -%}
  {%- set sql = ivm_changes_sql(reader, view_name, feed) -%}
  {%- if model is none -%}
    {{ return(sql) }}
  {%- endif -%}
  {%- set found = run_query('select * from ' ~ sql ~ ' as changes limit ' ~ limit) -%}
  {%- do log(reader.text(found), info=true) -%}
{%- endmacro %}

{#- Return how far this model has read; none on its first run and for a full refresh. -#}
{% macro ivm_position(reader, consumer, view_name) -%}
  {%- set target = ivm_found(this) -%}
  {%- if target is none or not target.is_table or should_full_refresh() -%}
    {{ return(none) }}
  {%- endif -%}
  {{ return(reader.position(consumer, view_name, ivm_quoted(target))) }}
{%- endmacro %}

{#- Return the relation of the project's model of that name. -#}
{% macro ivm_relation_of(model) -%}
  {%- set node = ivm_node_of(model) -%}
  {{ return(ivm_relation_at(node)) }}
{%- endmacro %}
