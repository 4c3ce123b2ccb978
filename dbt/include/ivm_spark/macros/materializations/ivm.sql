{#- A run of one ivm model, from beginning to end.

    <model>       a view with exactly the query's columns, or a table of them; everybody reads it
    <model>__ivm  a Delta table: the state, with hidden columns, and the watermark in its commits
-#}
{% materialization ivm, adapter='ivm_spark', supported_languages=['sql'] %}

  {%- set existing = load_cached_relation(this) -%}
  {%- set state = ivm_state_relation(this) -%}
  {%- set stored = ivm_found(state) -%}
  {%- set grant_config = config.get('grants') -%}

  {{ run_hooks(pre_hooks) }}

  {%- if config.get('contract').enforced -%}
    {%- do get_assert_columns_equivalent(compiled_code) -%}
  {%- endif -%}

  {#- plan the refresh: incremental, full, or nothing to do -#}
  {%- set refresh = ivm_refresher(this, state, existing, stored) -%}
  {%- set target = this.incorporate(type='table' if refresh.publishes else 'view') -%}
  {%- if refresh.plan.warning -%}
    {%- do exceptions.warn('Model ' ~ model.unique_id ~ ': ' ~ refresh.plan.warning) -%}
  {%- endif -%}

  {#- drop what occupies the state's place, or alter the state as configured -#}
  {%- if refresh.plan.fill and ivm_occupied_by(stored) -%}
    {%- do adapter.drop_relation(stored) -%}
  {%- endif -%}
  {%- do ivm_alter_state(state, refresh.alteration()) -%}

  {#- change the state by one statement and one commit, and let the view or table show it; do both
      again if Spark rejects the generated view, or if a build is followed by a refresh -#}
  {%- for turn in refresh.turns() -%}
    {%- do ivm_change_state(state, refresh) -%}
    {%- do ivm_show_state(target, existing if loop.first else none, refresh) -%}
  {%- endfor -%}
  {%- if refresh.late_warning -%}
    {%- do exceptions.warn('Model ' ~ model.unique_id ~ ': ' ~ refresh.late_warning) -%}
  {%- endif -%}

  {%- do store_result('main', response=adapter.ivm_response(refresh)) -%}
  {%- do adapter.cache_added(state) -%}
  {%- do refresh.end() -%}

  {%- do apply_grants(target, grant_config, should_revoke(existing, full_refresh_mode=True)) -%}

  {{ run_hooks(post_hooks) }}

  {{ return({'relations': [target]}) }}

{% endmaterialization %}
