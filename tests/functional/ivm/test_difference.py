"""If another ivm model reads a view, a rebuild writes only the rows that differ."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from dbt.adapters.ivm_spark.plan import planner
from dbt.adapters.ivm_spark.session.connections import IvmSparkConnectionManager
from tests.budget import budget
from tests.functional.ivm.warehouse import (
    FEED,
    Warehouse,
    bag,
    by_statements,
    in_turn,
    kinds,
)

IVM = "{{ config(materialized='ivm') }}\n"
FULL = "{{ config(materialized='ivm', refresh_policy='full') }}\n"
KINDS = {
    "b": ("boolean", "true", "false", "null"),
    "i": ("int", "1", "2", "null"),
    "f": ("float", "cast('NaN' as float)", "cast(0.0 as float)", "cast('-0.0' as float)"),
    "d": ("double", "cast('-0.0' as double)", "0.0D", "cast('inf' as double)", "null", "0.1D"),
    "n": ("decimal(38,6)", "1.5", "-99999999999999999999999999999999.000001", "null"),
    "s": ("string", "''", "'a'", "'A'", "'a '", "null"),
    "x": ("binary", "X''", "X'00'", "null"),
    "t": ("timestamp", "timestamp'2024-01-01 00:00:00.000001'", "null"),
    "z": ("timestamp_ntz", "timestamp_ntz'2024-01-01 00:00:00'", "null"),
    "a": ("array<int>", "array(1, null)", "array()", "null"),
    "o": ("struct<p:int,q:string>", "named_struct('p', 1, 'q', null)", "null"),
}
"""Types with some of their values."""
COLUMNS = ", ".join(f"`{name}` {kind}" for name, (kind, *_) in KINDS.items())
NAMES = ", ".join(f"`{name}`" for name in KINDS)
STATES = {
    "stored": f"select {NAMES} from @odd, (select max(v) over (order by v) as m from @one)",
    "rows": f"select {NAMES} from @odd where i is null or i > 0",
    "different": "select distinct b, i, n, s, x, t, z, a, o from @odd",
    "groups": "select i, s, count(*) as n, sum(n) as total, max(t) as newest, max(abs(d)) as most "
    "from @odd group by i, s",
}
"""Views by how their rows are stored: as they are, with counts, once each, by group."""


def on_schema(sql: str) -> str:
    return sql.replace("@", "{{ target.schema }}.")


def values(draw: random.Random, rows: int) -> str:
    """Rows of the table `odd`, among them equal ones."""
    some = [tuple(draw.choice(each) for _, *each in KINDS.values()) for _ in range(max(1, rows))]
    return ", ".join(f"({', '.join(draw.choice(some))})" for _ in range(max(1, rows)))


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """It pays to compare, however small a state is."""
    monkeypatch.setattr(planner, "is_hopeless", lambda *_: False)
    monkeypatch.setattr(planner, "compares", lambda *_: True)


class TestStates:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        # With deletion vectors, transactions replace the rows that differ.
        vectors = "refresh_policy='full', tblproperties={'delta.enableDeletionVectors': 'true'}"
        head = FULL.replace("refresh_policy='full'", vectors)
        states = {f"{name}.sql": head + on_schema(sql) for name, sql in STATES.items()}
        readers = {
            f"on_{name}.sql": f"{IVM}select *, 1 as one from {{{{ ref('{name}') }}}}"
            for name in STATES
        }
        return states | readers

    def test_equal_their_queries(self, warehouse: Warehouse, always: None) -> None:
        """Random rows of many types come and go; what differs is written, and nothing else."""
        draw = random.Random(5)
        warehouse.sql(
            "set spark.sql.ansi.enabled=false",
            f"create table odd ({COLUMNS}) using delta {FEED}",
            f"create table one (v int) using delta {FEED}",
            "insert into one values (1)",
            f"insert into odd values {values(draw, 40)}",
        )
        warehouse.run()
        warehouse.check(*STATES, *(f"on_{name}" for name in STATES))
        for turn in budget((3,), range(4)):
            gone = draw.choice(["i = 1", "s = 'a'", "d is null", "b", "false"])
            warehouse.sql(
                f"delete from odd where {gone}",
                f"insert into odd values {values(draw, draw.choice([1, 3, 12]))}",
            )
            if turn == 3:
                warehouse.sql("update odd set d = -d, f = -f where d = 0 or f = 0")
            before = {name: exact(warehouse, name) for name in STATES}
            with in_turn(turn):
                responses = warehouse.run()
            after = {name: exact(warehouse, name) for name in STATES}
            for name in STATES:
                lost, gained = before[name] - after[name], after[name] - before[name]
                wanted = max(lost.total(), gained.total())
                differed = responses[name].get("rows_differed")
                share = wanted / max(after[name].total(), 1)
                assert (differed is None and share > 0.3) or differed == wanted, (turn, name)
            warehouse.check(*STATES, *(f"on_{name}" for name in STATES))
            assert all(exact(warehouse, n) == queried(warehouse, n) for n in STATES)

    def test_a_rebuild_without_a_difference_leaves_readers_unchanged(
        self, warehouse: Warehouse, always: None
    ) -> None:
        warehouse.sql("update one set v = 1")
        versions = {name: warehouse.history(f"{name}__ivm") for name in STATES}
        responses = warehouse.run()
        assert responses["stored"].get("rows_differed") == 0
        assert "rows differed" in responses["stored"]["_message"]
        assert responses["stored"]["_message"].startswith("FULL, 0 of ")
        assert kinds(responses)["on_stored"] == "none"
        (newest, *_) = warehouse.history("stored__ivm")
        assert newest["operationMetrics"]["numTargetRowsInserted"] == "0"
        assert len(warehouse.history("rows__ivm")) == len(versions["rows"])
        assert set(kinds(warehouse.run()).values()) == {"none"}, "the versions are recorded"


def exact(warehouse: Warehouse, model: str) -> Any:
    """The rows of a model, in which zeros of both signs differ."""
    return _exact(warehouse, f"select * from {model}")


def queried(warehouse: Warehouse, model: str) -> Any:
    return _exact(warehouse, warehouse.queries[model])


def _exact(warehouse: Warehouse, sql: str) -> Any:
    columns = warehouse.columns(sql)
    items = ", ".join(
        f"cast(`{name}` as string)" if kind in ("float", "double") else f"`{name}`"
        for name, kind in columns
    )
    return bag(warehouse.rows(f"select {items} from ({sql})"))


class TestClock:
    """A model that Spark compares with the clock by a text is rebuilt at every run."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            "marked.sql": IVM + on_schema("select id, hub, sent < 'now' as is_past from @parcels"),
            "seen.sql": "{{ config(materialized='view') }}\nselect * from {{ ref('marked') }}",
            "counted.sql": IVM + "select hub, count(*) as parcels from {{ ref('seen') }} "
            "where is_past group by hub",
            "alone.sql": IVM + on_schema("select id, 'now' > sent as p from @parcels"),
        }

    @pytest.fixture(scope="class")
    def built(self, warehouse: Warehouse) -> Iterator[Warehouse]:
        warehouse.sql(
            f"create table parcels (id int, hub string, sent timestamp) using delta {FEED}",
            "insert into parcels values (1, 'a', timestamp'2024-01-01'), "
            "(2, 'b', timestamp'2024-01-02'), (2, 'b', timestamp'2024-01-02')",
        )
        warehouse.run()
        yield warehouse

    def test_a_rebuild_without_a_difference_commits_nothing(self, built: Warehouse) -> None:
        version = built.version("marked__ivm")
        responses = built.run()
        assert kinds(responses) == {"marked": "full", "alone": "full", "counted": "none"}
        assert responses["marked"]["_message"].startswith("FULL, 0 of 3 rows differed")
        assert responses["marked"].get("refresh") is None, "there is no commit"
        assert responses["alone"].get("rows_differed") is None, "nobody reads it"
        assert built.version("marked__ivm") == version

    def test_differing_rows_reach_the_readers(self, built: Warehouse, always: None) -> None:
        built.sql(
            "delete from parcels where id = 1",
            "insert into parcels select id, 'b', timestamp'2024-01-02' from range(2, 20)",
        )
        built.run()
        built.sql("insert into parcels values (9, 'a', timestamp'2024-01-03')")
        responses = built.run()
        assert responses["marked"]["_message"].startswith("FULL, 1 of 21 rows differed")
        assert (
            responses["counted"]["sources"][f"`{built.schema}`.`marked__ivm`"]["changed_rows"] == 1
        )
        built.check("marked", "counted")

    def test_another_query_or_a_full_refresh_replaces_the_table(
        self, built: Warehouse, always: None
    ) -> None:
        responses = built.run("marked", flags=["--full-refresh"])
        assert responses["marked"].get("rows_differed") is None
        built.sql("delete from marked__ivm where id = 9")
        responses = built.run("marked")
        assert responses["marked"].get("rows_differed") is None, "somebody else wrote into it"
        built.check("marked")

    def test_an_error_of_the_query_fails_the_run(self, built: Warehouse, always: None) -> None:
        built.write(
            "marked",
            IVM + on_schema("select id, hub, if(hub = 'bad', cast(raise_error('bad hub') as "
                            "boolean), sent < 'now') as is_past from @parcels"),
        )  # fmt: skip
        built.run("marked")
        shown = built.bags("marked")
        built.sql("insert into parcels values (10, 'bad', timestamp'2024-01-03')")
        assert "bad hub" in built.fail("marked")["marked"]
        assert built.bags("marked") == shown
        built.sql("delete from parcels where hub = 'bad'")
        built.run()
        built.check("marked", "counted")

    def test_a_failed_comparison_replaces_the_table(
        self, built: Warehouse, always: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        original = IvmSparkConnectionManager.add_query
        for statement in ("cache table", "merge into", "create temporary view"):

            def add_query(
                self: Any, sql: str, *args: Any, spoiled: str = statement, **kwargs: Any
            ) -> Any:
                if spoiled in sql:
                    sql = "select no_such_column"
                return original(self, sql, *args, **kwargs)

            built.sql(f"insert into parcels values (11, '{statement}', timestamp'2024-01-03')")
            with monkeypatch.context() as patched, by_statements():
                patched.setattr(IvmSparkConnectionManager, "add_query", add_query)
                responses = built.run("marked")
            assert kinds(responses) == {"marked": "full"}
            assert responses["marked"].get("rows_differed") is None
            built.check("marked")
