{#- What a hand-written incremental model needs of a Delta source. Each row of the model records the
    version of each source at which it was computed, in a column `<source>_version`. -#}

{#- The newest version of a source. -#}
{% macro newest(table) %}
  {%- set relation = source('tpch', table) -%}
  {%- if not execute -%}{{ return(0) }}{%- endif -%}
  {%- set history = run_query('describe history ' ~ relation ~ ' limit 1') -%}
  {{ return(history.columns['version'].values()[0] | int) }}
{% endmacro %}

{#- The rows of a source that changed between this model's version of it and another, before and
    after; none where the source stands still. -#}
{% macro changes(table, upto) %}
  {%- set relation = source('tpch', table) -%}
  {%- if not execute -%}{{ return(relation) }}{%- endif -%}
  {%- set since = run_query('select max(' ~ table ~ '_version) from ' ~ this) -%}
  {%- set since = since.columns[0].values()[0] | int -%}
  {%- if since < upto -%}
    {{ return("table_changes('" ~ relation ~ "', " ~ (since + 1) ~ ", " ~ upto ~ ")") }}
  {%- endif -%}
  {{ return('(select * from ' ~ relation ~ ' where false)') }}
{% endmacro %}

{#- A source at a version. Beside its feed Spark takes a table that is read without one for the feed,
    or the feed for the table, whichever it meets first. -#}
{% macro at(table, version) %}
  {{- source('tpch', table) ~ ' version as of ' ~ version -}}
{% endmacro %}

{#- The columns that record the versions: `versions(lineitem=12)`. -#}
{% macro versions() %}
  {%- for table, version in kwargs.items() -%}
    cast({{ version }} as bigint) as {{ table }}_version{{ ', ' if not loop.last }}
  {%- endfor -%}
{% endmacro %}
