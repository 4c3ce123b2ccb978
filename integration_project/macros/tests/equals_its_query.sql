{#- A view equals its query, as a bag: no row is in one of them more often than in the other.

    The query is the model's own text, run on what its sources hold now. So the test means
    something only after a `dbt run`, and before the sources change again. -#}
{% test equals_its_query(model) %}
  {%- if execute %}
    {%- set node = graph.nodes.values() | selectattr('relation_name', 'equalto', model | string) | first %}
    with expected as ({{ query_of(node) }}),
    missing as (select * from expected except all select * from {{ model }}),
    surplus as (select * from {{ model }} except all select * from expected)
    select 'missing' as problem, * from missing
    union all
    select 'surplus' as problem, * from surplus
  {%- endif %}
{% endtest %}


{#- The query of a model; ephemeral models in it are queries in parentheses. dbt gives a test the
    text of other models but not their compiled query, and lets it ref() only its own model. -#}
{% macro query_of(node) %}
  {%- set query = namespace(text=node.raw_code) -%}
  {%- for id in node.depends_on.nodes if id in graph.nodes -%}
    {%- set other = graph.nodes[id] -%}
    {%- set relation = other.relation_name or '(' ~ query_of(other) ~ ')' -%}
    {%- set query.text = query.text.replace("{{ ref('" ~ other.name ~ "') }}", relation) -%}
  {%- endfor -%}
  {{- render(query.text) -}}
{% endmacro %}
