"""ivm_doctor and ivm_report on a project in which much is wrong."""

from __future__ import annotations

import json
import re
import sys

import pytest
import yaml
from dbt.tests.util import run_dbt, run_dbt_and_capture

from dbt.adapters.ivm_spark.physical import runtime_filters
from tests.functional.ivm.warehouse import FEED, Warehouse

HEADER = "{{ config(materialized='ivm') }}\n"
STRICT = HEADER.replace("ivm'", "ivm', refresh_policy='incremental_strict'")
KEYED = HEADER.replace("ivm'", "ivm', primary_keys={'names': ['name']}")
TRUSTING = HEADER.replace(
    "ivm'", "ivm', primary_keys={'names': ['k']}, foreign_keys={'facts': {'names': ['k']}}"
)
MODELS = {
    "fine": KEYED + "select name, count(*) as n from @names group by name",
    "forgetful": HEADER + "select k, sum(v) as total from @facts group by k",
    "on_a_table": HEADER + "select k, v from {{ ref('parent') }}",
    "parent": "{{ config(materialized='table') }} select k, v from @facts",
    "always_full": HEADER + "select k, row_number() over (order by k) as place from @facts",
    "feedless": HEADER + "select count(*) as n from @silent",
    "strict": STRICT + "select count(*) as n, max(k) as k from @gone",
    "drifted": HEADER + "select name, max(k) as k from @names group by name",
    "trusting": TRUSTING + "select f.v, n.name from @facts f join @names n on f.k = n.k",
    "scattered": HEADER + "select w.v from @wide w join @few f on w.k = f.k",
    "in_order": HEADER + "select w.v from @wide w join @few f on w.place = f.k",
    "unbuilt": HEADER + "select 1 as one, k from @names",
}
BUILT = [name for name in MODELS if name != "unbuilt"]
START = (
    f"create table facts (k string, v int) using delta {FEED}",
    f"create table names (k string, name string) using delta {FEED}",
    "create table silent (k string) using delta tblproperties "
    "('delta.enableChangeDataFeed' = 'false')",
    f"create table gone (k string) using delta {FEED}",
    "insert into facts values ('a', 1), ('b', 2)",
    f"create table wide (k int, place int, v int) using delta {FEED}",
    *(
        f"insert into wide select pmod(id * 7, 100), id, id from range({100 * n}, {100 * n + 100})"
        for n in range(5)
    ),
    f"create table few (k int) using delta {FEED}",
    "insert into few values (1)",
    "insert into names values ('a', 'ale'), ('b', 'ale')",
)
ACCIDENTS = (
    "alter table facts set tblproperties "
    "('delta.deletedFileRetentionDuration' = 'interval 0 seconds')",
    "insert into facts values ('d', 3)",
    "alter table parent set tblproperties "
    "('delta.deletedFileRetentionDuration' = 'interval 9 days')",
    "drop table gone",
    f"create table gone (k string) using delta {FEED}",
    "delete from drifted__ivm where true",
)


class TestDoctor:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        found = {f"{n}.sql": t.replace("@", "{{ target.schema }}.") for n, t in MODELS.items()}
        parent = {
            "name": "parent",
            "columns": [{"name": "k", "constraints": [{"type": "primary_key"}]}],
        }
        return found | {"schema.yml": yaml.safe_dump({"version": 2, "models": [parent]})}

    @pytest.fixture(scope="class", autouse=True)
    def ill(self, warehouse: Warehouse) -> None:
        warehouse.sql(*START)
        warehouse.run(*BUILT)
        warehouse.sql("insert into names values ('c', 'cod')")
        warehouse.run("fine", flags=["--full-refresh"])
        warehouse.sql(*ACCIDENTS)

    def test_the_doctor_finds_each_problem_and_no_other(
        self,
        warehouse: Warehouse,
        capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(runtime_filters, "BIG_ROWS", 100)
        asked = {
            "format": "json",
            "check_keys": True,
            "check_drift": True,
            "check_layout": True,
        }
        before = {name: warehouse.version(f"{name}__ivm") for name in BUILT if name != "parent"}
        capsys.readouterr()
        run_dbt(["--quiet", "run-operation", "ivm_doctor", "--args", json.dumps(asked)])
        printed = capsys.readouterr().out
        told = json.loads(printed[printed.index('{\n  "models"') :])
        models = {m["model"]: m for m in told["models"]}
        found = {name: {f["code"] for f in m["findings"]} for name, m in models.items()}
        lost = {"CHANGES_LOST", "SHORT_RETENTION", "DRIFT_UNCHECKED"}
        assert found == {
            "fine": {"KEY_NOT_UNIQUE"},
            "forgetful": lost,
            "on_a_table": {"PROPERTIES_WILL_BE_DROPPED"},
            "always_full": {"NEVER_INCREMENTAL", "DRIFT_UNCHECKED"},
            "feedless": {"FEED_OFF"},
            "strict": {"RUN_WOULD_FAIL", "SOURCE_REPLACED", "DRIFT_UNCHECKED"},
            "drifted": {"DRIFT", "NEXT_REFRESH_FULL"},
            "trusting": {"FOREIGN_KEY_BROKEN", *lost},
            "scattered": {"NOT_CLUSTERED_BY_KEY"},
            "in_order": set(),
            "unbuilt": {"NOT_BUILT"},
        }
        met = {table["key"]: table for m in models.values() for table in m["met"]}
        assert met["k"]["files"] >= 5
        assert met["k"]["files"] / 2 < met["k"]["read"] <= met["k"]["files"]
        assert met["place"]["read"] < 2
        assert models["drifted"]["drift"] == 1
        assert models["fine"]["drift"] == 0
        assert models["fine"]["state"]["files"] > 0
        assert models["drifted"]["reason"]["code"] == "STATE_MODIFIED"
        source = models["on_a_table"]["sources"][0]
        assert source["drops"] == [["delta.deletedFileRetentionDuration", "interval 9 days"]]
        assert source["keys"] == [
            {"columns": ["k"], "declared_by": "a constraint", "duplicate": "", "trusted": False}
        ]
        assert source["files_kept"] == 9 * 86400
        assert models["forgetful"]["sources"][0]["unread"] == 1
        assert models["forgetful"]["sources"][0]["feed_since"][0] == 0
        after = {name: warehouse.version(f"{name}__ivm") for name in before}
        assert after == before, "a doctor only looks"

    def test_a_remedy_removes_its_finding(
        self, warehouse: Warehouse, capsys: pytest.CaptureFixture[str]
    ) -> None:
        asked = {"models": ["feedless", "on_a_table"]}
        capsys.readouterr()
        run_dbt(["run-operation", "ivm_doctor", "--args", json.dumps(asked)])
        printed = capsys.readouterr().out
        assert "2 models, 0 errors, 1 warning, 1 info" in printed
        assert "tblproperties: {'delta.deletedFileRetentionDuration': 'interval 9 days'}" in printed
        (remedy,) = re.findall(r"> (ALTER TABLE .*);", printed)
        warehouse.sql(remedy)
        warehouse.run("feedless")
        run_dbt(["run-operation", "ivm_doctor", "--args", json.dumps({"models": ["feedless"]})])
        printed = capsys.readouterr().out
        assert "feed since version 1" in printed
        assert "1 model, 0 errors, 0 warnings, 0 info" in printed

    def test_unknown_models_and_formats_are_errors(self) -> None:
        for asked, said in (
            ({"models": ["nothing"]}, "This project has no model nothing"),
            ({"models": ["parent"]}, "materialized='table', not ivm"),
            ({"models": ["fine"], "format": "xml"}, "it must be one of: text, json"),
        ):
            command = ["run-operation", "ivm_doctor", "--args", json.dumps(asked)]
            _, log = run_dbt_and_capture(command, expect_pass=False)
            assert said in log

    def test_ivm_report_writes_the_page(
        self,
        warehouse: Warehouse,
        capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        capsys.readouterr()
        run_dbt(["run-operation", "ivm_report"])
        path = warehouse.folder / "target" / "ivm_report.html"
        assert f"Written: {path}" in capsys.readouterr().out
        html = path.read_text("utf-8")
        assert f"{warehouse.schema}.fine" in html
        assert html.count("<svg") >= 8, "the lineage, and each model that is built"
        rebuilt = html[html.index('id="rebuilds"') :]
        assert "FULL_REFRESH_REQUESTED" in rebuilt
        for name in [n for n in sys.modules if "ivm_spark.commands.report.figures" in n]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, "matplotlib.axes", None)
        command = ["run-operation", "ivm_report", "--args", "{path: x/y.html, models: [fine]}"]
        _, log = run_dbt_and_capture(command, expect_pass=False)
        assert "pip install 'dbt-ivm-spark[report]'" in log
