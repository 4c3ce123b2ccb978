{#- Return the planner's input for a model. The node is `model`, or one of graph.nodes. -#}
{% macro ivm_request(node, sql, target, existing, stored, full_refresh) -%}
  {%- set parts = ivm_parts_relation(ivm_state_relation(target)) -%}
  {{ return({
      'model': node.unique_id,
      'sql': sql,
      'view': ivm_quoted(target),
      'state': ivm_quoted(ivm_state_relation(target)),
      'information': (existing.information or '')
        if existing is not none and existing.is_view else '',
      'described': ivm_described(node),
      'state_exists': stored is not none,
      'occupied_by': ivm_occupied_by(stored),
      'config': node.config,
      'full_refresh': full_refresh,
      'built': ivm_of_run().built,
      'hooked': (node.config.get('pre-hook') or []) | length > 0,
      'parts': ivm_quoted(parts),
      'parts_exist': ivm_found(parts) is not none,
      'far': adapter.ivm_is_far(),
      'limited': ivm_is_limited(),
      'readers': ivm_readers(node),
      'read_by_many': ivm_of_run().read_by_many,
      'references': ivm_of_run().references,
  }) }}
{%- endmacro %}

{#- Return the states of the ivm models that read a node. -#}
{% macro ivm_readers(node) -%}
  {%- set states = [] -%}
  {%- for id in ivm_of_run().readers.get(node.unique_id, []) -%}
    {%- set reader = graph.nodes[id] -%}
    {%- set relation = ivm_relation_at(reader) -%}
    {%- do states.append(ivm_quoted(ivm_state_relation(relation))) -%}
  {%- endfor -%}
  {{ return(states) }}
{%- endmacro %}

{#- Return what the models of a run share, computed once. `built`: the relations that the run
    builds. `places`: which node's relation is where. `readers`: the ivm models that read a node.
    `read_by_many`: the relations that many ivm models of the run read. `references`: the foreign
    keys of constraints to rely on. -#}
{% macro ivm_of_run() -%}
  {%- if adapter.ivm_of_run() is none -%}
    {%- set built, places, many = [], {}, [] -%}
    {%- set readers = adapter.ivm_readers(graph.nodes) -%}
    {%- for id in adapter.ivm_read_by_many(readers, selected_resources) -%}
      {%- set node = graph.nodes.get(id) or graph.sources.get(id) -%}
      {%- if node -%}{#- A function of the user's own is neither. -#}
        {%- set relation = ivm_relation_at(node) -%}
        {%- do many.extend([ivm_quoted(relation), ivm_quoted(ivm_state_relation(relation))]) -%}
      {%- endif -%}
    {%- endfor -%}
    {%- for node in graph.nodes.values() if node.relation_name -%}
      {%- do places.update({ivm_quoted(ivm_relation_at(node)) | lower: node.unique_id}) -%}
    {%- endfor -%}
    {%- for id in selected_resources if id in graph.nodes -%}
      {%- set node = graph.nodes[id] -%}
      {%- if node.relation_name -%}
        {%- set relation = ivm_relation_at(node) -%}
        {%- do built.extend([ivm_quoted(relation), ivm_quoted(ivm_state_relation(relation))]) -%}
      {%- endif -%}
    {%- endfor -%}
    {%- do adapter.ivm_of_run({
        'built': built, 'places': places, 'readers': readers, 'read_by_many': many,
        'references': adapter.ivm_references(graph.nodes, graph.sources)}) -%}
  {%- endif -%}
  {{ return(adapter.ivm_of_run()) }}
{%- endmacro %}

{#- Return the planner's input for a model outside its own run. -#}
{% macro ivm_request_of(node, full_refresh=false) -%}
  {%- set target = ivm_relation_at(node) -%}
  {%- set state = ivm_state_relation(target) -%}
  {{ return(ivm_request(
      node,
      adapter.ivm_compiled(node.unique_id),
      target,
      ivm_found(target),
      ivm_found(state),
      full_refresh,
  )) }}
{%- endmacro %}

{#- Return the descriptions that persist_docs puts on a node's view. -#}
{% macro ivm_described(node) -%}
  {%- set described = {} -%}
  {%- set persisted = node.config.get('persist_docs') or {} -%}
  {%- if persisted.get('relation') and node.description -%}
    {%- do described.update({'relation': node.description}) -%}
  {%- endif -%}
  {%- if persisted.get('columns') -%}
    {%- for name, column in node.columns.items() if column.description -%}
      {%- do described.update({'column ' ~ name: column.description}) -%}
    {%- endfor -%}
  {%- endif -%}
  {{ return(described) }}
{%- endmacro %}

{#- Return what occupies the state's place if Delta can't replace it; otherwise an empty text. -#}
{% macro ivm_occupied_by(stored) -%}
  {%- if stored is none or (stored.is_delta and not stored.is_view) -%}
    {{ return('') }}
  {%- endif -%}
  {{ return('a view' if stored.is_view else 'a table that is not in Delta') }}
{%- endmacro %}

{#- Return whether the run has --empty or --sample: then refs are subqueries over some rows. -#}
{% macro ivm_is_limited() -%}
  {%- set given = invocation_args_dict.get('empty') or invocation_args_dict.get('sample') -%}
  {{ return(true if given else false) }}
{%- endmacro %}
