from dbt.tests.adapter.hooks.test_model_hooks import (
    BaseDuplicateHooksInConfigs,
    BasePrePostModelHooks,
    BasePrePostModelHooksInConfig,
    BasePrePostModelHooksOnSeeds,
    BaseTestPrePost,
)
from dbt.tests.adapter.hooks.test_run_hooks import BaseAfterRunHooks


class _HookRows(BaseTestPrePost):
    # The inherited checks quote columns as PostgreSQL does and expect its target.
    def check_hooks(self, state, project, host, count=1):
        rows = project.run_sql(
            "select target_name, target_schema, target_type, target_threads, invocation_id "
            f"from {project.test_schema}.on_model_hook where test_state = '{state}'",
            fetch="all",
        )
        assert len(rows) == count
        for name, schema, type_, threads, invocation in rows:
            assert (name, schema, type_) == ("default", project.test_schema, "spark")
            assert threads == 3
            assert invocation


class TestPrePostModelHooks(_HookRows, BasePrePostModelHooks):
    pass


class TestPrePostModelHooksInConfig(_HookRows, BasePrePostModelHooksInConfig):
    pass


class TestPrePostModelHooksOnSeeds(BasePrePostModelHooksOnSeeds):
    pass


class TestDuplicateHooksInConfigs(BaseDuplicateHooksInConfigs):
    pass


class TestAfterRunHooks(BaseAfterRunHooks):
    pass
