"""dbt's other features treat an ivm model like any other model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture

from dbt.adapters.ivm_spark.session.activity import watch
from tests.functional.ivm.conftest import INCREMENTAL
from tests.functional.ivm.warehouse import FEED, Warehouse, bag, kinds

TOTALS = """{{ config(materialized='ivm', tags=['nightly'], group='finance', access='protected') }}
select k, sum(v) as total, count(*) as n from {{ ref('clean') }} group by k
"""
TOPS = """{{ config(materialized='ivm', group='finance', access='private') }}
select k, total from {{ ref('totals') }} where total > 2
"""
BRANCHING = """{{ config(materialized='ivm') }}
select k, v from {{ source('raw', 'facts') }}
{% if is_incremental() %} where false {% endif %}
"""
PROPERTIES = """
groups:
  - {name: finance, owner: {name: Fin}}
sources:
  - name: raw
    schema: "{{ target.schema }}"
    tables:
      - name: facts
        loaded_at_field: at
        config: {freshness: {warn_after: {count: 1, period: day}}}
models:
  - name: totals
    config: {contract: {enforced: true}, meta: {team: blue}}
    constraints: [{type: primary_key, columns: [k], warn_unenforced: false}]
    columns:
      - {name: k, data_type: string, data_tests: [unique]}
      - {name: total, data_type: bigint}
      - {name: n, data_type: bigint}
  - name: tops
    columns: [{name: k, data_tests: [not_null]}]
exposures:
  - {name: weekly, type: dashboard, owner: {name: Fin}, depends_on: [ref('totals')]}
unit_tests:
  - name: adds_up
    model: totals
    given:
      - input: ref('clean')
        rows: [{k: a, v: 1}, {k: a, v: 2}, {k: b, v: 5}]
    expect:
      rows: [{k: a, total: 3, n: 2}, {k: b, total: 5, n: 1}]
"""
SNAPSHOT = """{% snapshot totals_then %}
{{ config(unique_key='k', strategy='check', check_cols=['total'], file_format='delta',
          target_schema=target.schema) }}
select k, total from {{ ref('totals') }}
{% endsnapshot %}
"""
PACKAGE = {
    "dbt_project.yml": "name: shared\nversion: '1.0'\nconfig-version: 2\nmodels: {shared: "
    "{+materialized: ivm}}\n",
    "models/of_package.sql": "select k, count(*) as n from {{ ref('clean') }} group by k",
}
OURS = ("totals", "tops", "branching", "of_package")


def write(folder: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


class TestDbtFeatures:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            "clean.sql": "{{ config(materialized='view') }} select k, v from "
            "{{ source('raw', 'facts') }} where v is not null",
            "totals.sql": TOTALS,
            "tops.sql": TOPS,
            "branching.sql": BRANCHING,
            "properties.yml": PROPERTIES,
        }

    @pytest.fixture(scope="class")
    def snapshots(self) -> dict[str, str]:
        return {"totals_then.sql": SNAPSHOT}

    @pytest.fixture(scope="class")
    def packages(self, project_root: Any) -> dict[str, Any]:
        write(Path(project_root) / "shared", PACKAGE)
        return {"packages": [{"local": "shared"}]}

    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        return {**INCREMENTAL, "query-comment": "by {{ node.unique_id if node else 'none' }}"}

    @pytest.fixture(scope="class", autouse=True)
    def built(self, warehouse: Warehouse) -> None:
        warehouse.sql(
            f"create table facts (k string, v int, at timestamp) using delta {FEED}",
            "insert into facts values ('a', 1, current_timestamp()), "
            "('a', 2, current_timestamp()), ('b', 2, current_timestamp())",
        )
        run_dbt(["deps"])

    def test_dbt_build_runs_tests_and_unit_tests_between_models(self, warehouse: Warehouse) -> None:
        results, log = run_dbt_and_capture(["build"])
        found = {r.node.name: str(r.status) for r in results}
        assert found.pop("adds_up") == "pass"
        assert {n: found[n] for n in OURS} == dict.fromkeys(OURS, "success")
        assert found["unique_totals_k"] == found["not_null_tops_k"] == "pass"
        assert found.pop("weekly") == "no-op"
        assert set(found.values()) == {"success", "pass"}
        assert "constraint" not in log.lower(), "no warning that says nothing about this model"
        order = [r.node.name for r in results]
        assert order.index("adds_up") < order.index("totals") < order.index("unique_totals_k")
        assert order.index("unique_totals_k") < order.index("tops")
        assert warehouse.bags("totals") == bag([("a", 3, 2), ("b", 2, 1)])

    def test_a_failed_test_leaves_the_downstream_view_unchanged(self, warehouse: Warehouse) -> None:
        """And it has all changes since when it is refreshed again."""
        warehouse.sql("insert into facts values ('c', 9, current_timestamp())")
        write(
            warehouse.folder,
            {"tests/small.sql": "select * from {{ ref('totals') }} where total > 5"},
        )
        before = warehouse.bags("tops")
        found = {n: str(r.status) for n, r in warehouse.dbt("build", ok=False).items()}
        assert (found["totals"], found["small"], found["tops"]) == ("success", "fail", "skipped")
        assert warehouse.bags("tops") == before
        (warehouse.folder / "tests" / "small.sql").unlink()
        responses = warehouse.run("tops")
        assert kinds(responses) == {"tops": "incremental"}
        assert warehouse.bags("tops") == bag([("a", 3), ("c", 9)])

    def test_a_snapshot_on_top(self, warehouse: Warehouse) -> None:
        warehouse.sql("update facts set v = 5 where k = 'b'")
        run = warehouse.dbt("build", "--select", "totals", "totals_then")
        assert run["totals"].adapter_response["refresh_kind"] == "incremental"
        found = warehouse.rows("select k, total, dbt_valid_to is null from totals_then")
        assert bag(found) == bag([("a", 3, True), ("b", 2, False), ("b", 5, True), ("c", 9, True)])

    @pytest.mark.parametrize(
        ("selector", "wanted"),
        [
            ("tag:nightly", {"totals"}),
            ("group:finance", {"totals", "tops"}),
            ("access:private", {"tops"}),
            ("config.materialized:ivm", set(OURS)),
            ("config.meta.team:blue", {"totals"}),
            ("package:shared", {"of_package"}),
            ("+exposure:weekly,config.materialized:ivm", {"totals"}),
        ],
    )
    def test_selectors(self, warehouse: Warehouse, selector: str, wanted: set[str]) -> None:
        listed = run_dbt(["ls", "--resource-type", "model", "--select", selector])
        assert {name.split(".")[-1] for name in listed} == wanted

    def test_a_private_view_is_refused_to_others(self, warehouse: Warehouse) -> None:
        warehouse.write("intruder", "select * from {{ ref('tops') }}")
        with pytest.raises(Exception, match="private"):
            run_dbt(["parse"])
        (warehouse.folder / "models" / "intruder.sql").unlink()

    def test_source_freshness(self, warehouse: Warehouse) -> None:
        (result,) = run_dbt(["source", "freshness"])
        assert str(result.status) == "pass"

    def test_every_statement_carries_the_query_comment(self, warehouse: Warehouse) -> None:
        warehouse.sql("insert into facts values ('a', 4, current_timestamp())")
        with watch() as activity:
            assert kinds(warehouse.run("totals")) == {"totals": "incremental"}
        merges = [s for s in activity.statements if "merge into" in s.lower()]
        assert len(merges) == 1
        assert "/* by model.test.totals */" in merges[0]

    def test_partial_parsing(self, warehouse: Warehouse) -> None:
        """What is parsed again changes no state."""
        flags = ["--partial-parse"]
        warehouse.run(*OURS, flags=flags)
        properties = warehouse.folder / "models" / "properties.yml"
        properties.write_text(properties.read_text().replace("team: blue", "team: green"))
        assert set(kinds(warehouse.run(*OURS, flags=flags)).values()) == {"none"}
        warehouse.sql("insert into facts values ('a', 4, current_timestamp())")
        assert set(kinds(warehouse.run(*OURS, flags=flags)).values()) == {"incremental"}
        warehouse.check(*OURS)
        facts = warehouse.bags("facts")
        assert len(warehouse.rows("select * from branching")) == sum(facts.values()), (
            "is_incremental() is false"
        )

    def test_state_modified_selects_changed_models(self, warehouse: Warehouse) -> None:
        state = warehouse.folder / "before"
        state.mkdir()
        manifest = (warehouse.folder / "target" / "manifest.json").read_text()
        (state / "manifest.json").write_text(manifest)
        arguments = ["ls", "--resource-type", "model", "--state", str(state)]
        assert run_dbt([*arguments, "--select", "state:modified"]) == []
        warehouse.write("tops", TOPS.replace("materialized='ivm'",
                        "materialized='ivm', refresh_policy='incremental_strict'"))  # fmt: skip
        assert run_dbt([*arguments, "--select", "state:modified"]) == ["test.tops"]
        assert kinds(warehouse.run("tops")) == {"tops": "none"}, "a policy is no reason to rebuild"

    def test_docs_show_views_and_no_states(self, warehouse: Warehouse) -> None:
        run_dbt(["docs", "generate"])
        text = (warehouse.folder / "target" / "catalog.json").read_text()
        catalog = json.loads(text)
        assert {f"model.test.{name}" for name in OURS[:3]} <= catalog["nodes"].keys()
        assert "__ivm" not in text
        manifest = json.loads((warehouse.folder / "target" / "manifest.json").read_text())
        assert manifest["exposures"]["exposure.test.weekly"]["depends_on"]["nodes"] == [
            "model.test.totals"
        ]
