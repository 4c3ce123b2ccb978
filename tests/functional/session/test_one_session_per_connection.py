import pytest
from dbt.tests.util import run_dbt

ZONES = {
    "auckland": "Pacific/Auckland",
    "lima": "America/Lima",
    "oslo": "Europe/Oslo",
    "tokyo": "Asia/Tokyo",
}
MODEL_WITH_ZONE = """
{{{{ config(materialized='table', pre_hook="set spark.sql.session.timeZone={zone}") }}}}
select current_timezone() as zone
"""
MODEL_WITHOUT_ZONE = "{{ config(materialized='table') }} select current_timezone() as zone"


class TestSettingsDoNotLeakBetweenModels:
    @pytest.fixture(scope="class")
    def dbt_profile_target(self, spark_parameters):
        parameters = {**spark_parameters, "spark.sql.session.timeZone": "UTC"}
        return {"type": "ivm_spark", "threads": 4, "server_side_parameters": parameters}

    @pytest.fixture(scope="class")
    def models(self):
        with_zone = {f"{name}.sql": MODEL_WITH_ZONE.format(zone=z) for name, z in ZONES.items()}
        return with_zone | {f"plain_{number}.sql": MODEL_WITHOUT_ZONE for number in range(4)}

    def test_set_in_a_hook_is_the_models_own(self, project):
        assert len(run_dbt(["run"])) == 8
        for name, zone in ZONES.items():
            rows = project.run_sql(f"select zone from {project.test_schema}.{name}", fetch="all")
            assert [row.zone for row in rows] == [zone]
        for number in range(4):
            table = f"{project.test_schema}.plain_{number}"
            rows = project.run_sql(f"select zone from {table}", fetch="all")
            assert [row.zone for row in rows] == ["UTC"]


MODEL_SAME_ALIAS = """
{{{{ config(materialized='incremental', alias='same', schema='{name}') }}}}
select '{name}' as origin, id from range(0, 200)
{{% if is_incremental() %}} where id >= 100 {{% endif %}}
"""


class TestSameAliasInTwoSchemas:
    @pytest.fixture(scope="class")
    def dbt_profile_target(self, spark_parameters):
        return {"type": "ivm_spark", "threads": 4, "server_side_parameters": spark_parameters}

    @pytest.fixture(scope="class")
    def models(self):
        return {f"{name}.sql": MODEL_SAME_ALIAS.format(name=name) for name in ZONES}

    def test_rows_do_not_mix(self, project):
        run_dbt(["run"])
        run_dbt(["run"])
        for name in ZONES:
            rows = project.run_sql(
                f"select origin, count(*) as copies from {project.test_schema}_{name}.same "
                "group by origin",
                fetch="all",
            )
            assert [tuple(row) for row in rows] == [(name, 300)]
