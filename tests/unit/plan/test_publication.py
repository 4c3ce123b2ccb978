"""How a published table is brought up to its state: by changes if these are certain."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbt.adapters.ivm_spark.plan.config import Publish, read_config
from dbt.adapters.ivm_spark.plan.plan import NoChange
from dbt.adapters.ivm_spark.plan.publication import (
    Publication,
    Way,
    check_publishable,
    publication,
)
from dbt.adapters.ivm_spark.source.commit import Commit
from dbt.adapters.ivm_spark.state.shown_row import ShownRow
from dbt.adapters.ivm_spark.watermark.configuration import ConfigError
from dbt.adapters.ivm_spark.watermark.cost_model import CostModel
from dbt.adapters.ivm_spark.watermark.published import PublishedMark, PublishedTable
from dbt.adapters.ivm_spark.watermark.watermark import Watermark
from tests.unit.plan.test_comparing import FOUND, REQUEST

GROUPS = ShownRow((("g", "`k`"), ("total", "`sum` + 0")), (), ("k",))
PLAN = NoChange(
    Watermark("id", 3, "q", {}),
    view="SELECT `k` AS `k`, `sum` + 0 AS `total` FROM `s`.`v__ivm` AS `state`",
    shown="q-1",
    row=GROUPS.encode(),
    outputs=(("g", "int"), ("total", "bigint")),
    findings=replace(FOUND, cost_model=CostModel(state_rows=1000)),
)
ASKED = replace(REQUEST, config=read_config({"publish": "table"}))
MERGED = {"numTargetRowsInserted": "2", "numTargetRowsUpdated": "3", "numTargetRowsDeleted": "0"}


def commit(version: int, operation: str = "MERGE", **facts: str) -> Commit:
    return Commit(version, operation, {}, {**MERGED, **facts} if operation == "MERGE" else facts)


FIRST = publication(PLAN, ASKED, None, [commit(4)])
assert FIRST is not None
SHOWN = PublishedTable(FIRST.mark)


def way(*commits: Commit, table: PublishedTable = SHOWN, plan: NoChange = PLAN) -> Publication:
    found = publication(plan, ASKED, table, [*commits, commit(4)])
    assert found is not None
    return found


def test_a_first_table_has_all_rows_of_one_version() -> None:
    assert FIRST.way is Way.CREATE
    assert FIRST.mark == PublishedMark("id", 4, 1, FIRST.mark.form)
    assert "`v__ivm` VERSION AS OF 4" in FIRST.select
    assert FIRST.table.properties["ivm_spark.row"] == PLAN.row


def test_nothing_is_written_if_the_table_has_the_rows() -> None:
    assert way().way is Way.NOTHING
    assert way(commit(5, "OPTIMIZE")).way is Way.NOTHING


def test_changes_are_read_since_the_version_that_the_table_shows() -> None:
    found = way(commit(6), commit(5))
    assert found.way is Way.CHANGES
    assert found.changes is not None and found.contents is not None
    assert (found.changes.first, found.changes.last) == (5, 6)
    assert (found.contents.since, found.contents.last) == (None, 6)
    assert found.mark == PublishedMark("id", 6, 2, found.mark.form)
    assert found.keys == ("g",), "the key has another name in the view"


def test_rows_whose_key_is_not_shown_are_a_bag() -> None:
    plan = replace(
        PLAN, row=replace(GROUPS, columns=(("g", "`k` + 1"), *GROUPS.columns[1:])).encode()
    )
    found = way(commit(5), plan=plan)
    assert (found.way, found.keys) == (Way.CHANGES, ())


@pytest.mark.parametrize(
    ("since", "plan", "why"),
    [
        ([commit(5, "CREATE OR REPLACE TABLE AS SELECT")], PLAN, "rebuilt"),
        ([commit(5, "RESTORE")], PLAN, "rebuilt"),
        ([commit(6)], PLAN, "lost"),
        ([commit(5, numTargetRowsUpdated="400")], PLAN, "many rows"),
        ([commit(5)], replace(PLAN, row=""), "LIMIT"),
        ([commit(5)], replace(PLAN, watermark=replace(PLAN.watermark, state_id="x")), "new one"),
    ],
)
def test_all_rows_are_written(since: list[Commit], plan: NoChange, why: str) -> None:
    found = way(*since, plan=plan)
    assert found.way is Way.OVERWRITE
    assert why in found.reason
    assert found.changes is None


@pytest.mark.parametrize("kind", ["map<string,int>", "variant", "string collate UTF8_LCASE"])
def test_all_rows_are_written_if_none_can_be_found(kind: str) -> None:
    plan = replace(PLAN, outputs=(PLAN.outputs[0], ("total", kind)))
    first = publication(plan, ASKED, None, [commit(4)])
    assert first is not None
    assert way(commit(5), table=PublishedTable(first.mark), plan=plan).way is Way.OVERWRITE


def test_other_columns_make_another_table() -> None:
    assert way(plan=replace(PLAN, shown="q-2")).way is Way.CREATE
    assert way(table=PublishedTable(None)).way is Way.CREATE
    assert way(table=replace(SHOWN, altered=True)).way is Way.OVERWRITE


def test_a_state_of_another_query_is_left_to_its_run() -> None:
    other = replace(commit(5), metadata=Watermark("id", 4, "another", {}).encode())
    assert publication(PLAN, ASKED, SHOWN, [other, commit(4)]) is None


def test_a_rejected_statement_is_followed_by_a_harder_one() -> None:
    found = way(commit(5)).harder("no")
    assert found is not None and (found.way, found.changes) == (Way.OVERWRITE, None)
    last = found.harder("no")
    assert last is not None and last.way is Way.CREATE
    assert last.harder("no") is None


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        ("how many", "int", "how many"),
        ("n", "void", "void"),
        ("n", "interval day to second", "interval"),
        ("n", "array<void>", "array<void>"),
    ],
)
def test_columns_that_no_table_can_have(name: str, kind: str, said: str) -> None:
    with pytest.raises(ConfigError, match="publish is table") as error:
        check_publishable([("k", "int"), (name, kind)])
    assert said in str(error.value)


def test_a_published_table_needs_the_feed_of_its_state() -> None:
    config = read_config({"publish": "table", "emit_changes": False})
    assert config.publish is Publish.TABLE
    assert config.table.properties["delta.enableChangeDataFeed"] == "true"
    assert config.published.properties["delta.enableChangeDataFeed"] == "false"
    with pytest.raises(ConfigError, match="state_writes is append and publish is table"):
        read_config({"publish": "table", "state_writes": "append"})
