"""A transaction commits the same rows and feed as the statement, or the statement runs instead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pytest
from py4j.protocol import Py4JError  # type: ignore[import-untyped]

from dbt.adapters.ivm_spark.session import transaction
from tests.budget import budget
from tests.functional.ivm.warehouse import FEED, Warehouse, as_if_large, bag, by_statements, reasons

pytestmark = pytest.mark.usefixtures("embedded")

MODELS = {
    "sums": "select k, sum(v) as total, count(*) as n, min(v) as least from @facts group by k",
    "total": "select sum(v) as total, count(*) as n from @facts",
    "kept": "select k, v, upper(k) as u from @facts where v is null or v <> 7",
    "different": "select distinct k from @facts",
    "mapped": "select k, sum(v) as total, max(v) as most from @facts group by k",
    "vectors": "select k, count(v) as n from @facts group by k",
    "unfed": "select k, max(v) as most from @facts group by k",
    "in_clusters": "select k, sum(v) as total from @facts group by k",
    "limited": "select c, count(*) as n from @facts group by c",
    "tracked": "select k, sum(v) as total from @facts group by k",
}
CONFIGS = {
    "vectors": "tblproperties={'delta.enableDeletionVectors': 'true'}",
    "unfed": "emit_changes=false",
    "in_clusters": "liquid_clustered_by='k'",
    "tracked": "tblproperties={'delta.enableRowTracking': 'true'}",
}
BY_STATEMENT = {"limited", "tracked"}
"""Models whose states have something that only Delta's own commands keep up."""
TWINS = [name for name in MODELS if name not in BY_STATEMENT]
CHANGES = (
    ("insert into facts values ('a', 4, 'x'), ('new', 1, 'x'), (null, null, null)",),
    ("update facts set v = v + 1 where k = 'a'", "delete from facts where k = 'b' or v is null"),
    ("update facts set k = 'moved' where k = 'a'", "insert into facts values ('b', 7, 'y')"),
    ("delete from facts",),
    ("insert into facts values ('after', 1, 'x'), ('after', 1, 'x')",),
)
ROUNDS = budget((CHANGES[0] + CHANGES[1], CHANGES[3] + CHANGES[4]), CHANGES)


def text(name: str, sql: str) -> str:
    more = f", {CONFIGS[name]}" if name in CONFIGS else ""
    header = f"{{{{ config(materialized='ivm', refresh_policy='incremental'{more}) }}}}\n"
    return header + sql.replace("@facts", "{{ target.schema }}.facts")


class Facts:
    @pytest.fixture(scope="class")
    def built(self, warehouse: Warehouse) -> Warehouse:
        return self.build(warehouse)

    def build(self, warehouse: Warehouse) -> Warehouse:
        warehouse.sql(
            f"create table facts (k string, v int, c varchar(3)) using delta {FEED}",
            "insert into facts values ('a', 1, 'x'), ('a', 2, 'x'), ('b', 3, 'y'), ('c', 1, 'y')",
        )
        warehouse.run()
        return warehouse


def in_lock_step(
    built: Warehouse, changes: Iterable[str], models: Iterable[str], twins: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Change the sources, run the models, and their twins by statements; what both runs said.

    Each model then has its query's rows, one commit more, and the feed of its twin.
    """
    before = {n: built.version(f"{n}__ivm") for n in (*twins, *twins.values())}
    built.sql(*changes)
    said = built.run(*models)
    with by_statements():
        by_twins = built.run(*twins.values())
    assert {r["committed_by"] for r in by_twins.values()} == {"statement"}
    built.check(*models)
    for name, twin in twins.items():
        assert built.version(f"{name}__ivm") == before[name] + 1, "one commit"
        if name != "unfed":
            found, wanted = (feed(built, n, before[n] + 1) for n in (name, twin))
            assert found == wanted, name
    return said, by_twins


def feed(warehouse: Warehouse, model: str, since: int) -> Any:
    """The rows of a state's change feed, without versions and times."""
    columns = "* except (_commit_version, _commit_timestamp)"
    return bag(warehouse.rows(f"select {columns} from table_changes('{model}__ivm', {since})"))


def files(warehouse: Warehouse, model: str) -> set[str]:
    """The names of the files of a model's state."""
    return {row[0] for row in warehouse.rows(f"select _metadata.file_name from {model}__ivm")}


def before_commit(patch: pytest.MonkeyPatch, act: Any) -> None:
    """Do something once, between the write of the files and their commit."""
    commit, todo = transaction._Transaction._commit, [act]

    def late(*arguments: Any) -> None:
        while todo:
            todo.pop()()
        commit(*arguments)

    patch.setattr(transaction._Transaction, "_commit", late)


def lose_answers(patch: pytest.MonkeyPatch) -> None:
    """Let each transaction commit, and its answer never come."""
    commit = transaction._Transaction._commit

    def lose(*arguments: Any) -> None:
        commit(*arguments)
        raise Py4JError("the answer is lost")

    patch.setattr(transaction._Transaction, "_commit", lose)


class TestEveryChange(Facts):
    """Two of most models, refreshed in lock step: `<model>` as usual, `<model>_merged` by
    statements."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        texts = {name: text(name, sql) for name, sql in MODELS.items()}
        return {f"{name}.sql": sql for name, sql in texts.items()} | {
            f"{name}_merged.sql": texts[name] for name in TWINS
        }

    def build(self, warehouse: Warehouse) -> Warehouse:
        built = super().build(warehouse)
        for state in ("mapped__ivm", "mapped_merged__ivm"):
            # Delta creates no table with column mapping and a feed.
            built.sql(
                f"alter table {state} set tblproperties ('delta.columnMapping.mode' = 'name')"
            )
        # The commit after a change of the protocol has a list of its files again.
        built.sql("insert into facts values ('d', 1, 'y')")
        built.run("mapped", "mapped_merged")
        return built

    @pytest.mark.parametrize("changes", ROUNDS)
    def test_rows_and_feed_equal_those_of_a_statement(
        self, built: Warehouse, changes: tuple[str, ...]
    ) -> None:
        twins = {name: f"{name}_merged" for name in TWINS}
        said, merged = in_lock_step(built, changes, MODELS, twins)
        assert not reasons(said)
        assert {n for n, r in said.items() if r["committed_by"] == "statement"} == BY_STATEMENT
        for name, twin in twins.items():
            counts = ("rows_inserted", "rows_updated", "rows_deleted")
            assert [said[name][c] for c in counts] == [merged[twin][c] for c in counts], name

    def test_the_history_has_the_counts(self, built: Warehouse) -> None:
        newest, twin = (built.history(f"sums{t}__ivm")[0] for t in ("", "_merged"))
        assert newest["operation"] == twin["operation"] == "MERGE"
        for metric in (
            "numTargetRowsInserted",
            "numTargetRowsUpdated",
            "numTargetRowsDeleted",
            "numTargetRowsCopied",
            "numOutputRows",
        ):
            assert newest["operationMetrics"][metric] == twin["operationMetrics"][metric], metric
        assert {r["refresh_kind"] for r in built.run().values()} == {"none"}


EXCHANGED = {
    **{name: MODELS[name] for name in ("sums", "kept", "different", "mapped", "unfed")},
    "in_clusters": MODELS["in_clusters"],
    "newest": "select k, v from (select *, row_number() over (partition by k order by v desc) as "
    "place from @facts) where place = 1",
    "pairs": "select f.k, f.v, g.v as w, cast(f.v as double) / 3 as third from @facts f "
    "left join @facts g on f.v = g.v + 1",
    "same": "select '-' as k, 1.0D as v from @facts",
}
EXCHANGED_TWINS = {name: f"{name}_merged" for name in ("sums", "kept", "newest", "pairs")}


class TestExchanges(Facts):
    """Models whose states count as large, and twins of some, refreshed in lock step by
    statements."""

    @pytest.fixture(scope="class", autouse=True)
    def large(self) -> Iterator[None]:
        with as_if_large():
            yield

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        texts = {name: text(name, sql) for name, sql in EXCHANGED.items()}
        twins = {twin: texts[name] for name, twin in EXCHANGED_TWINS.items()}
        return {f"{name}.sql": sql for name, sql in (texts | twins).items()}

    def build(self, warehouse: Warehouse) -> Warehouse:
        built = super().build(warehouse)
        mapped = "'delta.columnMapping.mode' = 'name'"
        built.sql(f"alter table mapped__ivm set tblproperties ({mapped})")
        # The first refresh that changes stored rows turns deletion vectors on.
        built.sql("insert into facts values ('d', 1, 'y'), ('a', 1, 'x'), ('z', 3, 'y')")
        built.sql("update facts set v = v + 1", "delete from facts where k = 'z'")
        assert built.run()["sums"]["committed_by"] == "transaction"
        return built

    @pytest.mark.parametrize("changes", ROUNDS)
    def test_rows_and_feed_equal_those_of_a_statement(
        self, built: Warehouse, changes: tuple[str, ...]
    ) -> None:
        said, merged = in_lock_step(built, changes, EXCHANGED, EXCHANGED_TWINS)
        assert {r["committed_by"] for r in said.values()} == {"transaction"}
        for name, twin in EXCHANGED_TWINS.items():
            counts = ("rows_inserted", "rows_updated", "rows_deleted")
            assert [said[name][c] for c in counts] == [merged[twin][c] for c in counts], name

    def test_an_exchange_changes_rows_without_rewriting_their_files(self, built: Warehouse) -> None:
        built.sql("insert into facts select concat('k', id), id, 'x' from range(20)")
        built.run(*EXCHANGED)
        before = {n: files(built, n) for n in ("sums", "kept")}
        built.sql("update facts set v = -1 where k = 'k7'")
        said = built.run("sums", "kept")
        for name, old in before.items():
            assert said[name]["committed_by"] == "transaction"
            assert old <= files(built, name), name
        built.check("sums", "kept")


REBUILT = {
    "sums": MODELS["sums"],
    "kept": MODELS["kept"],
    "mapped": MODELS["mapped"],
    "vectors": MODELS["vectors"],
    "unfed": MODELS["unfed"],
    "in_clusters": MODELS["in_clusters"],
    "tracked": MODELS["tracked"],
    "as_written": "select k, v, row_number() over (order by k, v, c) as place from @facts",
}
"""The last one is stored as its query gives it, since its window has no PARTITION BY."""


class TestRebuilds(Facts):
    """Two of each model, refreshed in lock step: one as usual, one by statements."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        texts = {
            f"{name}{twin}.sql": text(name, sql).replace("'incremental'", "'full'")
            for name, sql in REBUILT.items()
            for twin in ("", "_replaced")
        }
        reader = "select n, count(*) as times from {{ ref('sums') }} group by n"
        small = "assert_true(v < 999, 'not small') is null"
        checked = f"select k, coalesce(v, 0) as v from @facts where {small}"
        return texts | {
            "reader.sql": text("reader", reader),
            "checked.sql": text("checked", checked).replace("'incremental'", "'full'"),
        }

    def build(self, warehouse: Warehouse) -> Warehouse:
        built = super().build(warehouse)
        built.sql("alter table facts set tblproperties ('delta.enableDeletionVectors' = 'true')")
        return built

    @pytest.mark.parametrize("changes", ROUNDS)
    def test_rows_and_feed_equal_those_of_a_statement(
        self, built: Warehouse, changes: tuple[str, ...]
    ) -> None:
        twins = {name: f"{name}_replaced" for name in REBUILT}
        with as_if_large():
            said, replaced = in_lock_step(built, changes, REBUILT, twins)
        by_statement = {n for n, r in said.items() if r["committed_by"] == "statement"}
        assert by_statement == {"tracked"}
        for name, twin in twins.items():
            assert said[name]["rows_inserted"] == replaced[twin]["rows_inserted"], name
        assert built.run("reader")["reader"]["refresh_kind"] == "incremental"
        built.check("reader")
        assert {r["refresh_kind"] for r in built.run(*REBUILT).values()} == {"none"}

    def test_full_refresh_replaces_the_table(self, built: Warehouse) -> None:
        said = built.run("sums", flags=["--full-refresh"])["sums"]
        assert said["committed_by"] == "statement"
        assert "REPLACE" in built.history("sums__ivm")[0]["operation"]

    def test_a_foreign_write_before_the_commit_falls_back_to_the_statement(
        self, built: Warehouse, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        built.sql("insert into facts values ('e', 1, 'x')")
        before_commit(monkeypatch, lambda: built.sql("delete from sums__ivm where k = 'after'"))
        said = built.run("sums")["sums"]
        assert said["committed_by"] == "statement"
        built.check("sums")

    def test_a_lost_answer_leaves_one_commit(
        self, built: Warehouse, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        built.sql("insert into facts values ('f', 1, 'x')")
        version = built.version("sums__ivm")
        lose_answers(monkeypatch)
        built.run("sums")
        built.check("sums")
        assert built.version("sums__ivm") == version + 1, "Delta skips the statement as a repeat"

    def test_a_failed_query_commits_nothing(self, built: Warehouse) -> None:
        version = built.version("checked__ivm")
        built.sql("insert into facts values ('g', 5000, 'x')")
        assert "not small" in built.fail("checked")["checked"]
        assert built.version("checked__ivm") == version
        built.sql("delete from facts where v = 5000")
        assert built.run("checked")["checked"]["committed_by"] == "transaction"
        built.check("checked")

    def test_other_columns_replace_the_table(self, built: Warehouse) -> None:
        sql = text("kept", "select k, v, lower(k) as u, 1 as one from @facts")
        built.write("kept", sql.replace("'incremental'", "'full'"))
        assert built.run("kept")["kept"]["committed_by"] == "statement"
        built.check("kept")


class TestAccidents(Facts):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {f"{name}.sql": text(name, MODELS[name]) for name in ("sums", "vectors")}

    @pytest.fixture
    def moved(self, built: Warehouse) -> Warehouse:
        built.sql("insert into facts values ('a', 10, 'x'), ('more', 1, 'x')")
        return built

    def refreshed(self, warehouse: Warehouse, by: str) -> None:
        assert warehouse.run("sums")["sums"]["committed_by"] == by
        warehouse.check("sums")
        assert warehouse.run("sums")["sums"]["refresh_kind"] == "none"

    def test_an_optimize_before_the_commit(
        self, moved: Warehouse, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before_commit(monkeypatch, lambda: moved.sql("optimize sums__ivm"))
        moved.sql("insert into facts values ('a', 11, 'x')")
        with by_statements():
            moved.run("sums")  # so that there are two files to put together
        moved.sql("insert into facts values ('a', 12, 'x')")
        assert moved.run("sums")["sums"]["refresh_kind"] == "incremental"
        moved.check("sums")

    @pytest.mark.parametrize("at", ["_contents", "_commit"])
    def test_an_internal_error_falls_back_to_the_statement(
        self, moved: Warehouse, monkeypatch: pytest.MonkeyPatch, at: str
    ) -> None:
        def fail(*_: Any) -> None:
            raise Py4JError("no such method")

        monkeypatch.setattr(transaction._Transaction, at, fail)
        self.refreshed(moved, "statement")

    def test_a_lost_answer_leaves_one_commit(
        self, moved: Warehouse, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        version = moved.version("sums__ivm")
        lose_answers(monkeypatch)
        moved.run("sums")
        moved.check("sums")
        assert moved.version("sums__ivm") == version + 1, "Delta skips the MERGE as a repeat"

    @pytest.mark.parametrize("bound", ["MOST_ROWS", "MOST_BYTES", "MOST_FILES"])
    def test_a_state_above_the_limits_is_written_by_the_statement(
        self, moved: Warehouse, monkeypatch: pytest.MonkeyPatch, bound: str
    ) -> None:
        monkeypatch.setattr(transaction, bound, 0)
        self.refreshed(moved, "statement")

    def test_a_check_constraint_is_enforced(self, moved: Warehouse) -> None:
        moved.sql("alter table sums__ivm add constraint few check (__ivm_count < 50)")
        self.refreshed(moved, "transaction")
        moved.sql("insert into facts select 'a', 1, 'x' from range(100)")
        assert "few" in moved.fail("sums")["sums"]
        moved.sql("alter table sums__ivm drop constraint few")
        self.refreshed(moved, "transaction")

    def test_rows_that_a_merge_deleted_by_vectors_stay_deleted(self, moved: Warehouse) -> None:
        with by_statements():
            moved.run("vectors")
        marked = moved.history("vectors__ivm")[0]["operationMetrics"]
        assert int(marked["numTargetDeletionVectorsAdded"]) > 0
        moved.sql("insert into facts values ('b', 1, 'x')")
        assert moved.run("vectors")["vectors"]["committed_by"] == "transaction"
        moved.check("vectors")

    def test_a_row_with_two_changes_falls_back_to_the_statement(
        self, moved: Warehouse, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        count = transaction._counted

        def doubled(observation: Any) -> dict[str, int]:
            counted = count(observation)
            assert counted is not None
            return {**counted, transaction.STORED: counted[transaction.STORED] + 1}

        monkeypatch.setattr(transaction, "_counted", doubled)
        self.refreshed(moved, "statement")
