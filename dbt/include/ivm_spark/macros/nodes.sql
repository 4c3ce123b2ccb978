{#- Return the project's model of that name or id. -#}
{% macro ivm_node_of(model) -%}
  {%- for node in graph.nodes.values()
      if node.resource_type == 'model' and model in (node.name, node.unique_id) -%}
    {{ return(node) }}
  {%- endfor -%}
  {%- do exceptions.raise_compiler_error('This project has no model ' ~ model ~ '.') -%}
{%- endmacro %}

{#- Return the relation that a node builds, or that a source is. -#}
{% macro ivm_relation_at(node) -%}
  {{ return(api.Relation.create(
      database=node.database, schema=node.schema, identifier=node.alias or node.identifier)) }}
{%- endmacro %}

{#- Return the relation of that name if dbt's cache has it, with its type and what Spark says of it;
    otherwise none. -#}
{% macro ivm_found(relation) -%}
  {{ return(adapter.get_relation(
      database=relation.database, schema=relation.schema, identifier=relation.identifier)) }}
{%- endmacro %}

{#- Return the project's model that has this relation. -#}
{% macro ivm_node_at(relation) -%}
  {%- for node in graph.nodes.values()
      if node.resource_type == 'model'
      and ivm_quoted(ivm_relation_at(node)) == ivm_quoted(relation) -%}
    {{ return(node) }}
  {%- endfor -%}
  {%- do exceptions.raise_compiler_error('is_incremental_view tests a model, without where; '
      ~ relation ~ ' is not a model.') -%}
{%- endmacro %}

{#- Return the ivm models of these names, sorted by name. By default all ivm models. -#}
{% macro ivm_nodes(models=none) -%}
  {%- set found = [] -%}
  {%- if models is not none -%}
    {%- for name in ([models] if models is string else models) -%}
      {%- set node = ivm_node_of(name) -%}
      {%- if node.config.materialized != 'ivm' -%}
        {%- do exceptions.raise_compiler_error('Model ' ~ name ~ " is materialized='"
            ~ node.config.materialized ~ "', not ivm.") -%}
      {%- endif -%}
      {%- do found.append(node) -%}
    {%- endfor -%}
  {%- else -%}
    {%- for node in graph.nodes.values()
        if node.resource_type == 'model' and node.config.materialized == 'ivm' -%}
      {%- do found.append(node) -%}
    {%- endfor -%}
  {%- endif -%}
  {{ return(found | sort(attribute='name')) }}
{%- endmacro %}
