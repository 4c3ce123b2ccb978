{#- Writes one HTML page on the ivm models: lineage, lag, findings, refreshes, rebuilds. It needs
    the extra dbt-ivm-spark[report]; nothing in the warehouse is changed.

    dbt run-operation ivm_report --args '{path: target/ivm_report.html}'

    path     of the file, from the project's folder; without it ivm_report.html in the target folder
    models   names; without them all ivm models of the project and its packages
-#}
{% macro ivm_report(path=none, models=none) -%}
  {%- if execute -%}
    {%- set reporter = adapter.ivm_reporter(ivm_known_relations()) -%}
    {%- for node in ivm_nodes(models) -%}
      {%- do reporter.add(node.name, ivm_request_of(node)) -%}
    {%- endfor -%}
    {%- do print('Written: ' ~ reporter.write(path)) -%}
  {%- endif -%}
{%- endmacro %}
