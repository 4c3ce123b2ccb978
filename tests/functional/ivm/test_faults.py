"""A run that ends at any statement: readers see the old contents or the new, one run repairs it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from pyspark.errors import PySparkException

from dbt.adapters.ivm_spark.session.activity import watch
from dbt.adapters.ivm_spark.source.reader import SourceReader
from dbt.adapters.ivm_spark.watermark.watermark import Watermark, newest
from tests.budget import LONG, budget
from tests.functional.ivm.faults import Fault, Faults, Place, after, at_commit, at_text, injected
from tests.functional.ivm.warehouse import FEED, Warehouse, bag, kinds

HEADER = "{{ config(materialized='ivm') }}\n"
STEADY = {
    "sums": "select k, sum(v) as total, count(*) as n from @facts group by k",
    "joined": "select f.k, f.v, d.name from @facts as f join @names as d on f.k = d.k",
    "largest": "select k, max(v) as most, count(distinct v) as n from @facts group by k",
    "ranked": "select k, v, rank() over (partition by k order by v) as place from @facts",
    "still": "select k, sum(v) as total from @quiet group by k",
}
TECHNIQUES = {
    "sums": "group_aggregate",
    "joined": "row_based",
    "largest": "affected_groups",
    "ranked": "affected_partitions",
    "still": "no_op",
}
REBUILT = "select k, v, sum(v) over (order by v, k) as running from @facts"
TEXTS = (
    "select k, sum(v) as x from @facts group by k having sum(v) is not null",
    "select k, count(distinct v) as y, max(v) as x from @facts group by k",
)
"""Between which `edited` changes: other columns, another state."""
EVERY = (*STEADY, "rebuilt", "edited", "first")

MIXED: dict[str, Place] = {
    **dict.fromkeys(EVERY, at_commit),
    **dict.fromkeys(("largest", "ranked"), at_text("cache table")),
    "edited": at_text("alter view"),
}
CI = (
    (Fault.DIED, dict.fromkeys(EVERY, at_commit)),
    (Fault.LOST, MIXED),
)
STATEMENTS = 32
"""No refresh here sends more; the test says so if one does."""
ROUNDS = (
    *((f, dict.fromkeys(EVERY, after(number))) for number in range(STATEMENTS) for f in Fault),
    *CI,
    (Fault.DIED, MIXED),
)


def model(sql: str) -> str:
    return HEADER + sql.replace("@", "{{ target.schema }}.")


class Reader:
    """Reads views all the time, in a session of its own."""

    def __init__(self, warehouse: Warehouse, allowed: dict[str, list[Any]]) -> None:
        self._session = warehouse.new_session()
        self._schema, self._allowed = warehouse.schema, allowed
        self.wrong: list[str] = []
        self.reads = 0

    @contextmanager
    def reading(self) -> Iterator[None]:
        ended = Event()
        thread = Thread(target=self._read, args=(ended,))
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def _read(self, ended: Event) -> None:
        while not ended.is_set():
            for name, allowed in self._allowed.items():
                try:
                    frame = self._session.sql(f"select * from {self._schema}.{name}")
                    shown = bag(tuple(row) for row in frame.collect())
                    if shown not in allowed:
                        self.wrong.append(f"{name}: {shown}")
                except PySparkException as error:
                    self.wrong.append(f"{name}: {str(error)[:300]}")
                self.reads += 1
            ended.wait(0.3)


class TestARunThatEndsAnywhere:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        steady = {f"{name}.sql": model(sql) for name, sql in STEADY.items()}
        others = {"rebuilt.sql": REBUILT, "edited.sql": TEXTS[0], "first.sql": STEADY["sums"]}
        return steady | {name: model(sql) for name, sql in others.items()}

    @pytest.fixture(scope="class")
    def built(self, warehouse: Warehouse) -> Warehouse:
        for table in ("facts", "quiet"):
            warehouse.sql(
                f"create table {table} (k string, v int) using delta {FEED}",
                f"insert into {table} values ('a', 1), ('a', 2), ('b', 3), (null, null)",
            )
        warehouse.sql(
            f"create table names (k string, name string) using delta {FEED}",
            "insert into names values ('a', 'A'), ('b', 'B'), ('c', 'C')",
        )
        warehouse.run()
        type(self).turn = 0
        return warehouse

    turn: int

    def changed(self, warehouse: Warehouse) -> dict[str, list[Any]]:
        """Change the sources, one model's text and drop another model; for each view the bags
        that may be read until a run has succeeded: the old one and the new one."""
        type(self).turn = turn = self.turn + 1
        warehouse.sql(
            f"insert into facts values ('a', {turn}), ('n{turn % 3}', {-turn}), ('b', 1)",
            f"delete from facts where k = 'b' and v = 1 or v = {1 - turn}",
            f"insert into names values ('n{turn % 3}', 'N{turn}')",
        )
        warehouse.sql("drop view if exists first", "drop table if exists first__ivm")
        warehouse.write("edited", model(TEXTS[turn % 2]))
        texts = {**STEADY, "rebuilt": REBUILT, "edited": TEXTS[turn % 2]}
        before = {name: warehouse.bags(name) for name in texts}
        wanted = {
            name: bag(warehouse.rows(sql.replace("@", f"{warehouse.schema}.")))
            for name, sql in texts.items()
        }
        return {name: [before[name], rows] for name, rows in wanted.items()}

    def test_each_model_uses_its_intended_technique(self, built: Warehouse) -> None:
        """Otherwise the rounds below would try less."""
        self.changed(built)
        with injected(Faults()) as faults:
            responses = built.run()
        assert {n: responses[n]["technique"] for n in TECHNIQUES} == TECHNIQUES
        assert kinds(responses)["rebuilt"] == kinds(responses)["edited"] == "full"
        assert kinds(responses)["first"] == "initial"
        sent = faults.sent
        assert max(map(len, sent.values())) <= STATEMENTS, {n: len(s) for n, s in sent.items()}
        for name, times in {"edited": 2, "rebuilt": 0, "sums": 0}.items():
            altered = [sql for sql in sent[name] if re.search(r"alter view \S+ as\s", sql)]
            replaced = [sql for sql in sent[name] if "replace view" in sql]
            assert (len(altered), len(replaced)) == (times, 0), sent[name]
        assert any("cache table" in sql for name in STEADY for sql in sent[name])
        built.check(*EVERY)

    @pytest.mark.parametrize(("fault", "places"), ROUNDS if LONG else CI)
    def test_the_next_run_repairs_it(
        self, built: Warehouse, fault: Fault, places: dict[str, Place]
    ) -> None:
        allowed = self.changed(built)
        versions = {name: built.version(f"{name}__ivm") for name in STEADY}
        reader = Reader(built, allowed)
        with reader.reading(), injected(Faults(fault, places)) as faults:
            results = built.dbt("run", ok=None)
        assert reader.reads >= len(allowed)
        assert not reader.wrong, reader.wrong[:3]
        done = [name for name, result in results.items() if result.status == "success"]
        for name in results.keys() - faults.hit.keys():
            assert name in done, results[name].message
        # Of what a refresh does after its commit, some may fail.
        assert fault is not Fault.DIED or not faults.hit.keys() & set(done)
        built.check(*done)
        for name in STEADY:
            assert built.bags(name) == self.at_recorded_versions(built, name)
        assert self.nothing_is_cached(built)

        with reader.reading():
            built.run()
        assert not reader.wrong, reader.wrong[:3]
        built.check(*EVERY)
        for name, version in versions.items():
            commits = built.version(f"{name}__ivm") - version
            assert commits == (0 if name == "still" else 1), f"{name} was refreshed once"

    @staticmethod
    def at_recorded_versions(warehouse: Warehouse, name: str) -> Any:
        sql = STEADY[name]
        for source, version in recorded(warehouse, name).items():
            sql = sql.replace(f"@{source}", f"{warehouse.schema}.{source} version as of {version}")
        return bag(warehouse.rows(sql))

    @staticmethod
    def nothing_is_cached(warehouse: Warehouse) -> bool:
        """As far as it can be seen: of a server's cache only its own process can tell."""
        spark = getattr(warehouse._spark, "_jsparkSession", None)
        return spark is None or bool(spark.sharedState().cacheManager().isEmpty())


def recorded(warehouse: Warehouse, name: str) -> dict[str, int]:
    sources = mark_of(warehouse, name).sources
    return {
        source.split(".")[-1].strip("`"): watermark.version for source, watermark in sources.items()
    }


def mark_of(warehouse: Warehouse, name: str) -> Watermark:
    def query(sql: str) -> list[dict[str, Any]]:
        return [row.asDict() for row in warehouse._spark.sql(sql).collect()]

    history = newest(SourceReader(query).commits(f"{name}__ivm", 0))
    assert history.watermark is not None
    return history.watermark


class TestFilesThatWereLeftBehind:
    """A process that dies while a table is created leaves files that no catalog knows."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {f"{name}.sql": model(STEADY["sums"]) for name in ("with_log", "without_log")}

    def test_do_not_block_a_refresh(self, warehouse: Warehouse) -> None:
        warehouse.sql(
            f"create table facts (k string, v int) using delta {FEED}",
            "insert into facts values ('a', 1), ('b', 3)",
        )
        warehouse.run()
        for name in ("with_log", "without_log"):
            columns = [column for column, _ in warehouse.columns(f"describe detail {name}__ivm")]
            detail = warehouse.rows(f"describe detail {name}__ivm")[0]
            folder = Path(detail[columns.index("location")].removeprefix("file:"))
            shutil.copytree(folder, kept := folder.with_name(f"{name}_kept"))
            warehouse.sql(f"drop view {name}", f"drop table {name}__ivm")
            shutil.move(kept, folder)
            if name == "without_log":
                shutil.rmtree(folder / "_delta_log")
        warehouse.sql("insert into facts values ('a', 1)")
        assert set(kinds(warehouse.run()).values()) == {"initial"}
        warehouse.check("with_log", "without_log")
        warehouse.sql("insert into facts values ('c', 1)")
        assert set(kinds(warehouse.run()).values()) == {"incremental"}
        warehouse.check("with_log", "without_log")


class TestAViewThatIsAltered:
    """Its columns, its readers, and what a run leaves behind if it dies while readers are held."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            "upper.sql": model(TEXTS[1]),
            "above.sql": HEADER + "select count(*) as n, max(x) as most from {{ ref('upper') }}",
            "plain.sql": "select x from {{ ref('upper') }}",
        }

    def test_a_changed_text_rebuilds_the_view(self, warehouse: Warehouse) -> None:
        warehouse.sql(
            f"create table facts (k string, v int) using delta {FEED}",
            "insert into facts values ('a', 1), ('a', 2), ('b', 3)",
        )
        warehouse.run()
        texts = (TEXTS[0] + " order by x desc limit 2", TEXTS[1], TEXTS[0])
        for text in budget(texts[2:], texts):
            warehouse.write("upper", model(text))
            assert kinds(warehouse.run())["upper"] == "full"
            shown = warehouse.columns("select * from upper")
            assert shown == warehouse.columns(warehouse.queries["upper"])
            warehouse.check("upper", "above", "plain")
            warehouse.sql("insert into facts values ('c', 7)")
            changed = warehouse.run()
            assert kinds(changed)["upper"] == "incremental"
            warehouse.check("upper", "above", "plain")
        assert kinds(changed)["above"] == "incremental"

    def test_a_failed_rebuild_releases_the_view(self, warehouse: Warehouse) -> None:
        """It lets go of the view, since no old version can be read for ever."""
        before = warehouse.bags("upper")
        warehouse.write(
            "upper", model("select cast(raise_error('no such row') as int) as x from @facts")
        )
        assert "no such row" in warehouse.fail("upper")["upper"]
        assert warehouse.bags("upper") == before
        text = warehouse.rows("describe table extended upper as json")[0][0]
        assert "VERSION AS OF" not in text
        warehouse.write("upper", model(TEXTS[1]))
        warehouse.run("upper")
        warehouse.check("upper")
        warehouse.write("upper", model(TEXTS[0]))
        warehouse.run("upper")

    def test_a_reverted_query_releases_the_view(self, warehouse: Warehouse) -> None:
        """The view was held at an old version and its text is wanted again."""
        warehouse.write("upper", model(TEXTS[1]))
        places: dict[str, Place] = {"upper": at_text("set spark.databricks.delta.commitInfo")}
        with injected(Faults(Fault.DIED, places)) as faults:
            warehouse.dbt("run", "--select", "upper", ok=False)
        assert faults.hit
        text = warehouse.rows("describe table extended upper as json")[0][0]
        assert "VERSION AS OF" in text
        warehouse.write("upper", model(TEXTS[0]))
        warehouse.sql("insert into facts values ('d', 8)")
        assert kinds(warehouse.run("upper")) == {"upper": "incremental"}
        warehouse.check("upper")
        with watch() as activity:
            assert kinds(warehouse.run("upper")) == {"upper": "none"}
        assert not [sql for sql in activity.statements if "alter view" in sql]
