"""Input that is hard to read, or tries to break out of what is around it: rows are right, metadata
is what was written, and an error is one clear message. Nothing shows a secret of the profile.

More cases that need no Spark: tests/unit/sql/test_hostile.py, tests/unit/plan/test_config.py.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from dbt.tests.util import run_dbt_and_capture

from tests.budget import budget
from tests.conftest import TargetWith
from tests.functional.conftest import TINY_TABLES
from tests.functional.ivm.hostile import BAD, HEAVY, RIGHT, SOURCE_COLUMNS, SUMS
from tests.functional.ivm.warehouse import FEED, Warehouse

HARD = RIGHT | budget({}, HEAVY)
SECRET = "h0stile-s3cret"
SECRETS = {
    "spark.hadoop.fs.s3a.secret.key": f"{SECRET}-1",
    "spark.hadoop.fs.azure.account.oauth2.client.token": f"{SECRET}-2",
    "spark.authenticate.secret": f"{SECRET}-3",  # can't be set on a Spark that runs
    "spark.ssl.keyPassword": f"{SECRET};4 it's",
}
TEXT = "It's \"so\"; -- */ /* \\ {{ '{{ nope }}' }} ${spark.app.name} `x` \\n 日本\nand more \\"
WRITTEN = TEXT.replace("{{ '{{ nope }}' }}", "{{ nope }}")
"""The description as Jinja leaves it."""
PROPERTIES = {"it's": TEXT, 'q"; --': "')", "back\\": "\\"}
MAPPED = "'delta.enableChangeDataFeed' = 'true', 'delta.columnMapping.mode' = 'name'"


def schema_yml() -> str:
    """Descriptions, meta, and constraints that do not hold."""
    described = {
        "description": TEXT,
        "config": {
            "persist_docs": {"relation": True, "columns": True},
            "meta": {"it's": TEXT, "; --": [None, "'"]},
        },
        "columns": [{"name": "k", "description": TEXT}, {"name": "it's; --", "description": TEXT}],
    }
    keyed = {
        "name": "keys_that_do_not_hold",
        "constraints": [
            {"type": "primary_key", "columns": ["k"]},
            {"type": "foreign_key", "columns": ["k"], "to": "source('raw', 'dims')",
             "to_columns": ["k"]},
        ],
    }  # fmt: skip
    raw = {"name": "raw", "schema": "{{ target.schema }}", "tables": [{"name": "dims"}]}
    models = [{"name": n, **described} for n in ("described", "described_table")]
    return json.dumps({"sources": [raw], "models": [*models, keyed]})


def model(query: str, config: str = "") -> str:
    given = f", {config}" if config else ""
    return f"{{{{ config(materialized='ivm'{given}) }}}}\n{query}".replace(
        "@", "{{ target.schema }}."
    )


class TestHostileInput:
    @pytest.fixture(scope="class")
    def dbt_profile_target(
        self, spark_parameters: dict[str, str], target_with: TargetWith
    ) -> dict[str, object]:
        parameters = spark_parameters | TINY_TABLES | SECRETS
        return target_with(parameters)

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        properties = f"tblproperties={PROPERTIES!r}"
        good = {n: model(h.query, h.config) for n, h in HARD.items()}
        good["described"] = model(SUMS, properties)
        bad = {n: model(b.query, b.config) for n, b in BAD.items()}
        table = model(SUMS, properties).replace("'ivm'", "'table'")
        beside = {"described_table": table, "shared_name__ivm": table}
        texts = {f"{name}.sql": text for name, text in {**good, **bad, **beside}.items()}
        return {**texts, "schema.yml": schema_yml()}

    @pytest.fixture(scope="class")
    def runs(self, project: Any, warehouse: Warehouse) -> list[dict[str, Any]]:
        """The results of two runs, with changes in between; the first's console. What fails is run
        once."""
        described = ", ".join(f"`{name}` string" for name in SOURCE_COLUMNS)
        values = ", ".join(f"'{name}'" for name in ("a", "b\\'; --", *SOURCE_COLUMNS[2:]))
        row = values.replace("it's", "it\\'s").replace("back\\slash", "back\\\\slash")
        warehouse.sql(
            f"create table facts (k string, v int) using delta {FEED}",
            "insert into facts values ('a', 1), ('it\\'s', 2), ('it\\'s', 3), (null, 4)",
            f"create table dims (k string, label string) using delta {FEED}",
            "insert into dims values ('a', 'A'), ('a', 'A2'), ('nobody', 'N')",
            f"create table odd ({described}, `Provider` string) using delta "
            f"partitioned by (`Provider`) tblproperties ({MAPPED})",
            f"insert into odd values ({row}, 'p'), ({row}, 'p'), ({row}, 'it\\'s;')",
            f"create table ours (`__ivm_count` int) using delta {FEED}",
        )
        results, type(self).console = run_dbt_and_capture(["run", "--no-fail-fast"], False)
        first = {result.node.name: result for result in results}
        warehouse.sql(
            "insert into facts values ('\\\\', 5), ('; drop table facts; --', 6)",
            "delete from facts where v = 2",
            "insert into dims values ('it\\'s', 'I'), ('it\\'s', 'I2')",
            f"insert into odd values ({row}, 'q')",
            "delete from odd where `Provider` = 'it\\'s;'",
        )
        return [first, warehouse.dbt("run", "--select", *HARD, "described_table", ok=None)]

    console: str

    @pytest.mark.parametrize("name", HARD)
    def test_equals_its_query(self, runs: Any, warehouse: Warehouse, name: str) -> None:
        """And incremental, or refreshed in full for the reason that is to be expected."""
        for result in (run[name] for run in runs):
            assert result.status == "success", result.message
        response = runs[1][name].adapter_response
        assert (response.get("reason") or {}).get("code", "") == HARD[name].reason, response
        kind = "full" if HARD[name].reason else "incremental"
        assert response["refresh_kind"] == kind
        warehouse.check(name)

    @pytest.mark.parametrize("name", BAD)
    def test_fails_with_a_clear_message(self, runs: Any, warehouse: Warehouse, name: str) -> None:
        result = runs[0][name]
        assert result.status == "error"
        assert f"{name}.sql" in result.message or f"model.test.{name}" in result.message
        for part in BAD[name].says:
            assert part.lower() in result.message.lower(), result.message
        assert "\tat " not in result.message
        assert "Traceback" not in result.message
        assert len(result.message) < 10_000, "the query is not repeated whole"
        if BAD[name].config.partition("=")[0] != "alias":
            assert not warehouse.exists(name)

    def test_nothing_was_dropped(self, runs: Any, warehouse: Warehouse) -> None:
        assert warehouse.rows("select count(*) from facts") == [(5,)]

    def test_no_stack_is_on_the_console(self, runs: Any) -> None:
        assert "\tat " not in self.console
        assert "Traceback" not in self.console
        assert "JVM stacktrace" not in self.console

    @pytest.mark.parametrize("name", ["described", "described_table"])
    def test_descriptions_are_as_written(self, runs: Any, warehouse: Warehouse, name: str) -> None:
        assert runs[0][name].status == runs[1][name].status == "success", runs[0][name].message
        described = {row[0]: row[1:] for row in warehouse.rows(f"describe table extended {name}")}
        assert described["k"] == ("string", WRITTEN)
        assert described["Comment"][0] == WRITTEN

    @pytest.mark.parametrize("table", ["described__ivm", "described_table"])
    def test_properties_are_as_written(self, runs: Any, warehouse: Warehouse, table: str) -> None:
        properties = dict(warehouse.rows(f"show tblproperties {table}"))
        found = {key: properties.get(key) for key in PROPERTIES}
        assert found == PROPERTIES

    def test_the_profiles_secrets_are_nowhere(
        self, runs: Any, project: Any, warehouse: Warehouse, logs_dir: str
    ) -> None:
        seen = {"the console": self.console}
        for folder in (Path(project.project_root), Path(logs_dir)):
            files = (f for f in folder.rglob("*") if f.is_file() and f.name != "profiles.yml")
            seen |= {str(file): file.read_text(errors="replace") for file in files}
        assert any("dbt.log" in name for name in seen), sorted(seen)
        assert any("run_results.json" in name for name in seen), sorted(seen)
        for name in ("described__ivm", "described"):
            seen[f"properties of {name}"] = str(warehouse.rows(f"show tblproperties {name}"))
            seen[f"description of {name}"] = str(warehouse.rows(f"describe table extended {name}"))
        seen["the history"] = str(warehouse.history("described__ivm"))
        seen["the details"] = str(warehouse.rows("describe detail described__ivm"))
        seen["the watermark"] = str(warehouse.watermark("described"))
        assert [name for name, text in seen.items() if SECRET in text] == []
        warned = [text for text in seen.values() if "spark.authenticate.secret" in text]
        assert warned, "that a setting could not be changed is said, without its value"
