{#- Print how a model is maintained and what its next run would do. It changes nothing.

        dbt run-operation ivm_explain --args '{model: revenue_by_customer}'
        dbt --quiet run-operation ivm_explain --args '{model: revenue_by_customer, format: json}'

    model    its name or id
    format   text or json; docs/explain.md lists the keys of the JSON
    sql      with text: true also prints the statements
-#}
{% macro ivm_explain(model, format='text', sql=false) -%}
  {%- set node = ivm_node_of(model) -%}
  {%- set explainer = ivm_explainer(node) -%}
  {%- do print(explainer.text(format, ivm_statements(node, explainer), sql)) -%}
{%- endmacro %}

{#- Return the explainer of a node of the graph: `.text(...)`, `.faults(...)`, `.plan`. -#}
{% macro ivm_explainer(node) -%}
  {{ return(adapter.dispatch('ivm_explainer', 'dbt')(node)) }}
{%- endmacro %}

{% macro ivm_spark__ivm_explainer(node) -%}
  {%- set asked = node.config.get('full_refresh') -%}
  {%- set full_refresh = flags.FULL_REFRESH if asked is none else asked -%}
  {{ return(adapter.ivm_explainer(
      materialized=node.config.materialized, **ivm_request_of(node, full_refresh))) }}
{%- endmacro %}

{#- Return the SQL by name: what the next run sends, or what it would send after a change. -#}
{% macro ivm_statements(node, explainer) -%}
  {%- set state = ivm_state_relation(ivm_relation_at(node)) -%}
  {%- set found = [] -%}
  {%- set example = explainer.example -%}
  {%- if example is not none -%}
    {%- for name, query in example.materializations -%}
      {%- do found.append(('keep ' ~ name, ivm_keep(name, query))) -%}
    {%- endfor -%}
    {%- do found.append(('merge', ivm_write(state, example))) -%}
  {%- endif -%}
  {%- if explainer.plan.fill -%}
    {%- do found.append(('build', ivm_create_state(state, explainer.plan))) -%}
  {%- endif -%}
  {%- do found.append(('view', explainer.view_sql)) -%}
  {{ return(found) }}
{%- endmacro %}
