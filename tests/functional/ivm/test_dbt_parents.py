"""dbt's own materializations below an ivm model."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.budget import only_long
from tests.functional.ivm.warehouse import FEED, Warehouse, bag, kinds, reasons

ON = "{{ config(materialized='ivm') }} select k, sum(v) as total from {{ ref('%s') }} group by k"
SNAPSHOT = """
{% snapshot snapped %}
{{ config(target_schema=target.schema, unique_key='k', strategy='check', check_cols=['v'],
          file_format='delta') }}
select k, v from {{ target.schema }}.facts
{% endsnapshot %}
"""
PARENTS = ("tabled", "appended", "planted", "snapped")


@only_long
class TestParents:
    """dbt's own materializations below a view, built in the same run."""

    @pytest.fixture(scope="class")
    def seeds(self) -> dict[str, str]:
        return {"planted.csv": "k,v\na,1\nb,2\n"}

    @pytest.fixture(scope="class")
    def snapshots(self) -> dict[str, str]:
        return {"snapped.sql": SNAPSHOT}

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        facts = "select k, v from {{ target.schema }}.facts"
        return {
            "tabled.sql": "{{ config(materialized='table') }} " + facts,
            "appended.sql": "{{ config(materialized='incremental', unique_key='k', "
            "incremental_strategy='merge') }} " + facts,
            **{f"on_{parent}.sql": ON % parent for parent in PARENTS},
        }

    def test_views_follow_seeds_snapshots_tables_and_incremental_models(
        self, warehouse: Warehouse
    ) -> None:
        ours = [f"on_{parent}" for parent in PARENTS]

        def build() -> dict[str, dict[str, Any]]:
            built = warehouse.dbt("build")
            return {name: built[name].adapter_response for name in ours}

        warehouse.sql(
            f"create table facts (k string, v int) using delta {FEED}",
            "insert into facts values ('a', 1), ('b', 2)",
        )
        assert set(kinds(build()).values()) == {"initial"}
        warehouse.check(*ours)
        warehouse.sql("update facts set v = 20 where k = 'b'", "insert into facts values ('c', 3)")
        (warehouse.folder / "seeds" / "planted.csv").write_text("k,v\na,1\nc,5\n")
        responses = build()
        warehouse.check(*ours)
        assert kinds(responses) == dict.fromkeys(ours, "incremental") | {"on_planted": "full"}
        assert reasons(responses) == {"on_planted": "SOURCE_REPLACED"}, "dbt drops a seed's table"
        assert warehouse.rows("select total from on_snapped where k = 'b'") == [(22,)]

    def test_defer_to_a_parent_in_another_schema(self, warehouse: Warehouse) -> None:
        """The view then reads the other schema's parent, and the response says why it was
        rebuilt."""
        other = f"{warehouse.schema}_prod"
        warehouse.sql(
            f"create schema {other}",
            f"create table {other}.tabled (k string, v int) using delta {FEED}",
            f"insert into {other}.tabled values ('prod', 1)",
            "drop table tabled",
        )
        state = warehouse.folder / "prod"
        state.mkdir()
        manifest = json.loads((warehouse.folder / "target" / "manifest.json").read_text())
        parent = manifest["nodes"]["model.test.tabled"]
        parent["schema"], parent["relation_name"] = other, f"`{other}`.`tabled`"
        (state / "manifest.json").write_text(json.dumps(manifest))
        flags = ["--defer", "--state", str(state)]
        try:
            response = warehouse.run("on_tabled", flags=flags)["on_tabled"]
            assert response["reason"]["code"] == "QUERY_FINGERPRINT_CHANGED"
            assert warehouse.bags("on_tabled") == bag([("prod", 1)])
            warehouse.sql(f"insert into {other}.tabled values ('prod', 2)")
            assert kinds(warehouse.run("on_tabled", flags=flags)) == {"on_tabled": "incremental"}
            assert warehouse.bags("on_tabled") == bag([("prod", 3)])
            responses = warehouse.run("tabled", "on_tabled")
            assert reasons(responses) == {"on_tabled": "QUERY_FINGERPRINT_CHANGED"}
            warehouse.check("on_tabled")
        finally:
            warehouse.sql(f"drop schema {other} cascade")
