"""A package that asks which platform it is on sees Spark; dbt finds this adapter all the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from dbt.tests.util import run_dbt

from tests.functional.ivm.warehouse import FEED, Warehouse, kinds

PLATFORMS = "target.type not in ('spark', 'databricks')"
PACKAGE = {
    "dbt_project.yml": """
name: others
version: '1.0'
vars:
  others_kind: "{{ 'lake' if target.type == 'spark' else 'warehouse' }}"
models:
  others:
    +schema: "{{ 'on_' ~ target.type }}"
    for_warehouses: {+enabled: "{{ target.type != 'spark' }}"}
    for_lakes: {+enabled: "{{ target['type'] in ['spark', 'databricks'] }}"}
""",
    "macros/platform.sql": """
{% macro platform() %}{{ return(adapter.dispatch('platform', 'others')()) }}{% endmacro %}
{% macro default__platform() %}{{ return('default') }}{% endmacro %}
{% macro spark__platform() %}{{ return('spark') }}{% endmacro %}
{% macro nearest() %}{{ return(adapter.dispatch('nearest', 'others')()) }}{% endmacro %}
{% macro spark__nearest() %}{{ return('spark') }}{% endmacro %}
{% macro ivm_spark__nearest() %}{{ return('ivm_spark') }}{% endmacro %}
{% macro text() %}{{ return('string' if target.type == 'spark' else 'varchar') }}{% endmacro %}
""",
    "models/sources.yml": f"""
sources:
- name: raw
  schema: "{{{{ target.schema }}}}"
  database: "{{% if {PLATFORMS} %}}elsewhere{{% endif %}}"
  tables: [{{name: calls}}]
""",
    "models/for_lakes.sql": """
select cast(id as {{ text() }}) as id, '{{ platform() }}' as platform,
  '{{ nearest() }}' as nearest, '{{ target.type }}' as shown, '{{ adapter.type() }}' as adapter,
  '{{ var('others_kind') }}' as kind
from {{ source('raw', 'calls') }}
""",
    "models/for_warehouses.sql": "select * from nowhere",
    "models/history.sql": f"""
{{{{ config(
    materialized='ivm',
    partition_by={{'field': 'day', 'data_type': 'date'}} if {PLATFORMS} else ['day', 'id'],
    incremental_strategy='delete+insert' if {PLATFORMS} else 'merge',
    enabled=target.type in ('spark', 'databricks'),
) }}}}
select day, id, count(*) as calls from {{{{ source('raw', 'calls') }}}} group by day, id
""",
}


class TestTargetType:
    @pytest.fixture(scope="class")
    def packages(self) -> dict[str, Any]:
        return {"packages": [{"local": "others"}]}

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {"mine.sql": "select id, '{{ target.type }}' as shown from {{ ref('for_lakes') }}"}

    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        ours = "{{ 'ivm' if target.adapter == 'ivm_spark' else 'table' }}"
        return {"models": {"test": {"+materialized": ours}, "+refresh_policy": "incremental"}}

    @pytest.fixture(scope="class")
    def built(self, warehouse: Warehouse) -> Warehouse:
        for name, text in PACKAGE.items():
            path = warehouse.folder / "others" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        warehouse.sql(
            f"create table calls (id int, day date) using delta {FEED}",
            "insert into calls values (1, date'2024-01-01')",
        )
        run_dbt(["deps"])
        warehouse.run()
        return warehouse

    def test_a_package_sees_spark(self, built: Warehouse) -> None:
        package = f"{built.schema}_on_spark"
        assert built.rows(f"select * from {package}.for_lakes") == [
            ("1", "spark", "ivm_spark", "spark", "ivm_spark", "lake")
        ]
        assert built.rows("select * from mine") == [("1", "spark")]
        assert built.columns(f"select id from {package}.for_lakes") == [("id", "string")]
        detail = built.rows(f"describe detail {package}.history__ivm")
        assert ["day", "id"] in [value for row in detail for value in row]

    @pytest.mark.parametrize(
        "command", ["parse", "parse --no-partial-parse", "compile", "docs generate --no-compile"]
    )
    def test_every_command_shows_spark_to_packages(self, built: Warehouse, command: str) -> None:
        run_dbt(command.split())
        manifest = json.loads((built.folder / "target" / "manifest.json").read_text())
        history = manifest["nodes"]["model.others.history"]["config"]
        assert history["incremental_strategy"] == "merge"
        assert history["partition_by"] == ["day", "id"]
        assert "model.others.for_warehouses" in manifest["disabled"]
        assert not manifest["sources"]["source.others.raw.calls"]["database"]
        assert manifest["metadata"]["adapter_type"] == "ivm_spark"

    def test_the_project_file_can_ask_for_the_adapter(self, built: Warehouse) -> None:
        built.sql("insert into calls values (2, date'2024-01-02')")
        responses = built.run("history", "mine")
        assert kinds(responses) == {"history": "incremental", "mine": "incremental"}
        assert sorted(built.rows("select id from mine")) == [("1",), ("2",)]
