{#- Print what may go wrong with the project's ivm models, with the statement that fixes each
    problem. It changes nothing.

        dbt run-operation ivm_doctor
        dbt --quiet run-operation ivm_doctor --args '{models: [revenue], format: json}'

    models        names; by default all ivm models of the project and its packages
    format        text or json
    check_keys    true: reads the sources to check whether declared keys hold
    check_layout  true: reads keys of big sources, to see how much of them one key reads
    check_drift   true: compares each model with its query, as the test equals_its_query does
    sample        with check_drift: the fraction of the rows to compare
-#}
{% macro ivm_doctor(models=none, format='text', check_keys=false, check_drift=false, sample=none,
                     check_layout=false) -%}
  {%- if execute -%}
    {%- set doctor = adapter.ivm_doctor(ivm_known_relations(), check_keys, check_drift, sample,
                                         check_layout) -%}
    {%- for node in ivm_nodes(models) -%}
      {%- do doctor.examine(node.name, ivm_request_of(node)) -%}
    {%- endfor -%}
    {%- do print(doctor.text(format)) -%}
  {%- endif -%}
{%- endmacro %}

{#- Return every relation that the project knows, with the node that builds it. -#}
{% macro ivm_known_relations() -%}
  {%- set found = [] -%}
  {%- for node in graph.nodes.values() if node.relation_name -%}
    {%- do found.append(ivm_known_relation(node, node.alias, node.config.materialized)) -%}
  {%- endfor -%}
  {%- for source in graph.sources.values() -%}
    {%- do found.append(ivm_known_relation(source, source.identifier, '')) -%}
  {%- endfor -%}
  {{ return(found) }}
{%- endmacro %}

{% macro ivm_known_relation(node, identifier, kind) -%}
  {{ return({
      'name': node.name,
      'relation': ivm_quoted(api.Relation.create(
          database=node.database, schema=node.schema, identifier=identifier)),
      'kind': kind,
      'tblproperties': node.config.get('tblproperties'),
      'constraints': node.get('constraints'),
      'columns': node.get('columns'),
  }) }}
{%- endmacro %}
