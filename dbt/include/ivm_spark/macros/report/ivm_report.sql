{#- Write one HTML page about the ivm models: lineage, lag, findings, refreshes, rebuilds. It needs
    the extra `dbt-ivm-spark[report]`. It changes nothing in the warehouse.

        dbt run-operation ivm_report --args '{path: target/ivm_report.html}'

    path     the file, relative to the project's folder; by default ivm_report.html in the
             target folder
    models   names; by default all ivm models of the project and its packages
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
