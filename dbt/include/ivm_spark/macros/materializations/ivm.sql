{#- The whole story of a run of one ivm model.

    <model>       a view: exactly the query's columns; what everybody reads
    <model>__ivm  a Delta table: the state, with hidden columns and the watermark in its commits
-#}
{% materialization ivm, adapter='ivm_spark', supported_languages=['sql'] %}

  {%- set existing = load_cached_relation(this) -%}
  {%- set target = this.incorporate(type='view') -%}
  {%- set state = ivm_state_relation(this) -%}
  {%- set stored = adapter.get_relation(
      database=none, schema=state.schema, identifier=state.identifier) -%}
  {%- set grant_config = config.get('grants') -%}

  {{ run_hooks(pre_hooks) }}

  {%- if config.get('contract').enforced -%}
    {%- do get_assert_columns_equivalent(compiled_code) -%}
  {%- endif -%}

  {#- what is known, what changed, what to do: incremental, full, or nothing -#}
  {%- set refresh = ivm_refresher(target, state, existing, stored) -%}
  {%- if refresh.plan.warning -%}
    {%- do exceptions.warn('Model ' ~ model.unique_id ~ ': ' ~ refresh.plan.warning) -%}
  {%- endif -%}

  {#- make place for the state, or make it as configured -#}
  {%- if refresh.plan.fill and ivm_usurper(stored) -%}
    {%- do adapter.drop_relation(stored) -%}
  {%- endif -%}
  {%- do ivm_alter_state(state, refresh.plan.alteration) -%}

  {#- change the state: one statement, one commit; again if another run was first -#}
  {%- for attempt in refresh.attempts if refresh.again -%}
    {%- for name, query in refresh.kept() -%}
      {%- do refresh.keep(name, ivm_keep(name, query)) -%}
    {%- endfor -%}
    {%- do refresh.commit(ivm_apply(state, refresh.plan)) -%}
  {%- endfor -%}
  {%- if refresh.again -%}
    {%- do exceptions.raise_database_error('Model ' ~ model.unique_id ~ ': other runs changed '
        ~ state ~ ' each time while this one refreshed it. Run it again when they have ended.') -%}
  {%- endif -%}

  {#- show it -#}
  {%- if refresh.plan.view -%}
    {%- if existing is not none and not existing.is_view -%}
      {%- do adapter.drop_relation(existing) -%}
    {%- endif -%}
    {%- if refresh.plan.alters -%}
      {%- do ivm_alter_view(target, refresh.plan) -%}
    {%- else -%}
      {%- call statement('view') -%}
        {{ ivm_create_view(target, refresh.plan) }}
      {%- endcall -%}
    {%- endif -%}
  {%- endif -%}

  {%- do store_result('main', response=adapter.ivm_response(refresh)) -%}
  {%- do adapter.cache_added(state) -%}

  {%- do apply_grants(target, grant_config, should_revoke(existing, full_refresh_mode=True)) -%}

  {{ run_hooks(post_hooks) }}

  {{ return({'relations': [target]}) }}

{% endmaterialization %}
