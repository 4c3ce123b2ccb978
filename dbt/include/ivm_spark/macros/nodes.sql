{#- The project's model of that name, or of that id. -#}
{% macro ivm_node_of(model) -%}
  {%- for node in graph.nodes.values()
      if node.resource_type == 'model' and model in (node.name, node.unique_id) -%}
    {{ return(node) }}
  {%- endfor -%}
  {%- do exceptions.raise_compiler_error('There is no model ' ~ model ~ ' in this project.') -%}
{%- endmacro %}

{#- The project's model whose relation this is. -#}
{% macro ivm_node_at(relation) -%}
  {%- for node in graph.nodes.values()
      if node.resource_type == 'model'
      and node.schema == relation.schema and node.alias == relation.identifier -%}
    {{ return(node) }}
  {%- endfor -%}
  {%- do exceptions.raise_compiler_error('is_incremental_view is a test of a model, without a '
      ~ 'where; ' ~ relation ~ ' is none.') -%}
{%- endmacro %}

{#- The ivm models of these names, all without names, sorted by name. -#}
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
