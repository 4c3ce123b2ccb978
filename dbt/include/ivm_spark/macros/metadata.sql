{#- Descriptions, properties and paths become literals, whatever they contain. dbt-spark puts them
    between quotes without escaping them. -#}

{% macro ivm_spark__comment_clause() -%}
  {%- if config.persist_relation_docs() -%}
    comment {{ adapter.ivm_literal(model.description) }}
  {%- endif -%}
{%- endmacro %}

{% macro ivm_spark__alter_column_comment(relation, column_dict) -%}
  {%- if config.get('file_format') in ['delta', 'hudi', 'iceberg'] -%}
    {%- for name, column in column_dict.items() -%}
      {%- do run_query('alter table ' ~ relation ~ ' alter column ' ~ adapter.quote(name)
          ~ ' comment ' ~ adapter.ivm_literal(column.description)) -%}
    {%- endfor -%}
  {%- endif -%}
{%- endmacro %}

{% macro ivm_spark__tblproperties_clause() -%}
  {%- set properties = config.get('tblproperties') -%}
  {%- if properties %}
tblproperties (
    {%- for key, value in properties.items() %}
  {{ adapter.ivm_literal(key) }} = {{ adapter.ivm_literal(value) }}{{ ',' if not loop.last }}
    {%- endfor %}
)
  {%- endif -%}
{%- endmacro %}

{% macro ivm_spark__location_clause() -%}
  {%- if config.get('location_root') -%}
    location {{ adapter.ivm_literal(config.get('location_root') ~ '/' ~ model.alias) }}
  {%- endif -%}
{%- endmacro %}
