"""A query that could be read, and later can't: a rebuild with the reason, never a crash."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest
from dbt_common.exceptions import DbtDatabaseError

from dbt.adapters.ivm_spark.algebra.columns import column
from dbt.adapters.ivm_spark.algebra.reasons import not_supported
from dbt.adapters.ivm_spark.algebra.tree import Item, Node, Project, Scan
from dbt.adapters.ivm_spark.delta import rules
from dbt.adapters.ivm_spark.delta.rules import RULE_OF, Moves, Rule
from dbt.adapters.ivm_spark.physical import lower
from dbt.adapters.ivm_spark.physical.key_ranges import (
    NAMED,
)
from dbt.adapters.ivm_spark.physical.lower import Known, Pass
from dbt.adapters.ivm_spark.plan import assembly, examined, finder, large_state, planner, reading
from dbt.adapters.ivm_spark.plan.config import IvmConfig, RefreshPolicy, StateWrites
from dbt.adapters.ivm_spark.plan.large_state import LARGE_ROWS, PROPERTIES, TIDY
from dbt.adapters.ivm_spark.plan.plan import Plan, RefreshKind
from dbt.adapters.ivm_spark.plan.planner import Planner, RefusedError, Request
from dbt.adapters.ivm_spark.plan.tuning import PUSHED_KEYS, STORED_PLANS
from dbt.adapters.ivm_spark.source.pins import Pins
from dbt.adapters.ivm_spark.source.reader import Query
from dbt.adapters.ivm_spark.state.rewrite import MOST_ROWS
from dbt.adapters.ivm_spark.watermark.configuration import Configuration

TYPES = {"k": "string", "v": "int"}
"""Of the queries' columns; the table has one more."""
DIFFERENT = "select distinct k, v from s.facts"
MANY = 1_000_000
"""Rows of the table, which is not so small that it is rebuilt first."""


class Warehouse:
    """Answers a planner's statements about one table and, once there is one, a state."""

    def __init__(self) -> None:
        self.version = 1
        self.metadata: str | None = None
        self.stored, self.rows = 3, MANY
        self.metrics: dict[str, str] = {}
        self.operation = "WRITE"

    def __call__(self, sql: str) -> list[dict[str, Any]]:
        if sql.startswith("describe table"):
            return self._described()
        if sql.startswith("describe history"):
            return self._history("__ivm" in sql)
        if sql.startswith("describe query"):
            return [{"col_name": n, "data_type": kind} for n, kind in TYPES.items()]
        if sql.startswith("explain"):
            plan = "== Optimized Logical Plan ==\nRelation s.facts[k#1]\n\n== Physical Plan =="
            return [{"plan": plan}]
        if sql.startswith("describe detail"):
            return [{"id": "the-id"}]
        return [{"c0": self.rows}] if sql.startswith("select") else []

    def _described(self) -> list[dict[str, Any]]:
        facts = {"Type": "MANAGED", "Provider": "delta",
                 "Table Properties": "[delta.enableChangeDataFeed=true]"}  # fmt: skip
        pairs = [
            *TYPES.items(),
            ("note", "string"),
            ("", ""),
            ("# Detailed Table Information", ""),
            *facts.items(),
        ]
        return [{"col_name": name, "data_type": value} for name, value in pairs]

    def _history(self, of_state: bool) -> list[dict[str, Any]]:
        commit = {
            "operation": self.operation,
            "operationParameters": {"mode": "Append"},
            "operationMetrics": self.metrics,
        }
        if of_state:
            rebuilt = "CREATE OR REPLACE TABLE AS SELECT"
            metrics = {"numOutputRows": str(self.stored)}
            return [
                {
                    "version": 0,
                    "operation": rebuilt,
                    "userMetadata": self.metadata,
                    "operationMetrics": metrics,
                }
            ]
        versions = range(self.version, -1, -1)
        return [{"version": n, "timestamp": f"at {n}", **commit} for n in versions]


def planned(
    warehouse: Warehouse,
    policy: RefreshPolicy = RefreshPolicy.AUTO,
    query: Query | None = None,
    sql: str = "select k, v from s.facts",
    full_refresh: bool = False,
    writes: StateWrites = StateWrites.MERGE,
    threshold: float = 0.3,
    counts: bool = True,
    far: bool = False,
) -> Plan:
    config = replace(
        IvmConfig(),
        refresh_policy=policy,
        change_threshold=threshold,
        state_writes=writes,
        table=Configuration(appends=writes is StateWrites.APPEND),
    )
    request = Request(
        sql=sql,
        view="`s`.`sums`",
        state="`s`.`sums__ivm`",
        information="",
        occupied_by="",
        described=None,
        state_exists=warehouse.metadata is not None,
        config=config,
        full_refresh=full_refresh,
        built=frozenset(),
        far=far,
    )
    return Planner(query or warehouse, Pins(), counts).plan(request)


@pytest.fixture
def warehouse() -> Warehouse:
    """With a state of the query, and a change since."""
    warehouse = Warehouse()
    first = planned(warehouse)
    assert (first.kind, first.reason) == (RefreshKind.INITIAL, None)
    warehouse.metadata, warehouse.version = first.metadata, 2
    return warehouse


def _of_different(warehouse: Warehouse) -> None:
    """The state becomes one of `DIFFERENT`, with a change since."""
    warehouse.metadata = planned(warehouse, sql=DIFFERENT, far=True).metadata
    warehouse.version += 1


def _too_deep(*_: object, **__: object) -> None:
    raise RecursionError


def _ruled_out(*_: object, **__: object) -> None:
    raise not_supported("what another version allowed")


def test_a_change_is_merged(warehouse: Warehouse) -> None:
    assert planned(warehouse).kind is RefreshKind.INCREMENTAL


@pytest.mark.parametrize(
    ("room", "step", "fails", "says"),
    [
        (finder, "lay_out", _ruled_out, "what another version allowed"),
        (finder, "lay_out", _too_deep, "nested too deep"),
        (assembly, "Change", _too_deep, "nested too deep"),
    ],
)
def test_a_query_that_fails_late_is_rebuilt(
    warehouse: Warehouse,
    monkeypatch: pytest.MonkeyPatch,
    room: ModuleType,
    step: str,
    fails: Any,
    says: str,
) -> None:
    monkeypatch.setattr(room, step, fails)
    plan = planned(warehouse)
    assert plan.kind is RefreshKind.FULL
    assert plan.reason is not None
    assert plan.reason.code.value == "OPERATOR_NOT_SUPPORTED"
    assert says in plan.reason.detail
    assert "select k, v from s.facts" in plan.fill, "the query is stored as it is"
    assert plan.watermark.unsupported_reason == ("OPERATOR_NOT_SUPPORTED", plan.reason.detail)


def _loses_a_column(node: Node, known: Known) -> Node:
    return Project(node, tuple(Item(c, column(c)) for c in node.columns[1:]))


def _loses_its_weight(node: Scan, derive: object, context: object) -> Node:
    return node


@pytest.mark.parametrize(
    ("room", "name", "broken"),
    [
        (lower, "PASSES", (Pass("bad", _loses_a_column, "first"),)),
        (
            rules,
            "RULE_OF",
            {**RULE_OF, Scan: Rule(Scan, _loses_its_weight, Moves.FEED, "badly")},
        ),
    ],
)
def test_a_rule_that_breaks_the_columns_costs_a_rebuild_and_a_warning(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch, room: ModuleType, name: str, broken: Any
) -> None:
    monkeypatch.setattr(room, name, broken)
    plan = planned(warehouse)
    assert plan.kind is RefreshKind.FULL
    assert plan.reason is not None and plan.reason.code.value == "INTERNAL_ERROR"
    assert "INTERNAL_ERROR" in plan.warning
    assert "facts" in plan.fill


@pytest.mark.parametrize(
    ("room", "name"), [(examined, "check_types"), (examined, "aggregates_to_order"),
                       (reading, "build_view"), (reading, "delta"), (planner, "choose")]
)  # fmt: skip
@pytest.mark.parametrize("error", [ValueError("too many values"), KeyError("x"), AssertionError()])
def test_any_error_of_ours_costs_a_rebuild_and_a_warning(
    warehouse: Warehouse,
    monkeypatch: pytest.MonkeyPatch,
    room: ModuleType,
    name: str,
    error: Exception,
) -> None:
    own = getattr(room, name)
    failing = [True, room is not planner]  # what decides about a rebuild must work by then

    def broken(*args: Any, **named: Any) -> Any:
        if failing[0]:
            failing[0] = failing[1]
            raise error
        return own(*args, **named)

    monkeypatch.setattr(room, name, broken)
    new = "select v, k from s.facts where v > 1"
    plan = planned(warehouse, sql=new)
    assert plan.kind is RefreshKind.FULL
    assert plan.reason is not None and plan.reason.code.value == "INTERNAL_ERROR"
    assert "INTERNAL_ERROR" in plan.warning
    assert "facts" in plan.fill
    monkeypatch.undo()
    warehouse.metadata = plan.metadata
    warehouse.version += 1
    again = planned(warehouse, sql=new)
    of_one_refresh = room is planner
    assert again.kind is (RefreshKind.INCREMENTAL if of_one_refresh else RefreshKind.FULL)


def undescribed(warehouse: Warehouse, says: str) -> Query:
    """The warehouse, in which DESCRIBE TABLE fails so."""

    def query(sql: str) -> list[dict[str, Any]]:
        if sql.startswith("describe table"):
            raise DbtDatabaseError(says)
        return warehouse(sql)

    return query


def test_a_lost_spark_is_an_error_and_no_reason_to_rebuild(warehouse: Warehouse) -> None:
    says = "Spark's process has ended"
    with pytest.raises(DbtDatabaseError, match=says):
        planned(warehouse, query=undescribed(warehouse, says))


def test_a_relation_that_spark_does_not_find_is_a_reason_to_rebuild(warehouse: Warehouse) -> None:
    query = undescribed(warehouse, "[TABLE_OR_VIEW_NOT_FOUND] facts")
    plan = planned(warehouse, query=query)
    assert (plan.kind, plan.watermark.sources) == (RefreshKind.FULL, {})


def test_a_rebuild_takes_row_counts_from_the_log_if_it_has_them(warehouse: Warehouse) -> None:
    """The count is the recorded rows plus the rows that later commits added."""
    asked: list[str] = []

    def query(sql: str) -> list[dict[str, Any]]:
        asked.append(sql)
        return warehouse(sql)

    warehouse.metrics = {"numOutputRows": "4"}
    told = planned(warehouse, query=query, full_refresh=True)
    assert told.kind is RefreshKind.FULL
    assert not any("count(*)" in sql or "describe detail" in sql for sql in asked)
    assert told.watermark.sources["`s`.`facts`"].rows == MANY + 4
    warehouse.metrics = {}
    untold = planned(warehouse, query=query, full_refresh=True)
    assert any("count(*)" in sql for sql in asked)
    assert untold.watermark.sources["`s`.`facts`"].rows == MANY


def test_incremental_strict_refuses_a_query_that_fails_late(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finder, "lay_out", _ruled_out)
    with pytest.raises(RefusedError, match="what another version allowed"):
        planned(warehouse, RefreshPolicy.INCREMENTAL_STRICT)


@pytest.mark.parametrize(("far", "large"), [(True, LARGE_ROWS), (False, MOST_ROWS + 1)])
def test_a_state_that_has_grown_large_gets_deletion_vectors_once(
    warehouse: Warehouse, far: bool, large: int
) -> None:
    _of_different(warehouse)
    warehouse.stored = large - 1
    assert planned(warehouse, sql=DIFFERENT, far=far).alteration.properties == {}
    warehouse.stored = large
    plan = planned(warehouse, sql=DIFFERENT, far=far)
    assert plan.alteration.properties == PROPERTIES
    assert plan.statements is not None
    assert [m.name for m in plan.statements.materialized] == ["ivm_materialized_change"]
    warehouse.metadata = plan.metadata
    assert planned(warehouse, sql=DIFFERENT, far=far).alteration.properties == {}


def test_a_rebuild_gives_deletion_vectors_to_none_but_large_states(warehouse: Warehouse) -> None:
    _of_different(warehouse)
    for rows, vectors in ((MOST_ROWS + 1, False), (LARGE_ROWS, True)):
        warehouse.stored = rows
        rebuilt = planned(warehouse, sql=DIFFERENT, full_refresh=True)
        assert (rebuilt.table.properties.items() >= PROPERTIES.items()) == vectors


def test_deletion_vectors_go_with_the_contents_that_needed_them(warehouse: Warehouse) -> None:
    _of_different(warehouse)
    warehouse.stored = MOST_ROWS + 1
    warehouse.metadata = planned(warehouse, sql=DIFFERENT).metadata
    assert planned(warehouse, sql=DIFFERENT).watermark.large
    other = planned(warehouse, sql="select v, k from s.facts")
    assert other.kind is RefreshKind.FULL
    assert not other.watermark.large
    assert other.table.properties.keys().isdisjoint(PROPERTIES)


def test_a_large_state_that_is_appended_to_needs_no_vectors(warehouse: Warehouse) -> None:
    sql, writes = DIFFERENT, StateWrites.APPEND
    warehouse.metadata = planned(warehouse, sql=sql, writes=writes).metadata
    warehouse.stored = LARGE_ROWS
    merged = planned(warehouse, sql=sql, full_refresh=True)
    appended = planned(warehouse, sql=sql, writes=writes, full_refresh=True)
    assert (merged.kind, appended.kind) == (RefreshKind.FULL, RefreshKind.FULL)
    assert merged.table.properties == {**appended.table.properties, **PROPERTIES}
    assert appended.table.properties.keys().isdisjoint(PROPERTIES)


def test_a_large_state_is_tidied_now_and_then(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    _of_different(warehouse)
    warehouse.stored = LARGE_ROWS
    kept = {STORED_PLANS: "true", PUSHED_KEYS: str(NAMED)}
    assert planned(warehouse, sql=DIFFERENT).tuning == kept
    monkeypatch.setattr(large_state, "TIDY_EVERY", 3)
    assert planned(warehouse, sql=DIFFERENT).tuning == kept | TIDY
    warehouse.stored = LARGE_ROWS - 1
    assert planned(warehouse, sql=DIFFERENT, far=True).tuning.keys().isdisjoint(TIDY)


def test_a_state_that_rows_are_inserted_into_is_tidied_at_any_size(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = planned(warehouse)
    assert plan.statements.is_insert and plan.tuning.keys().isdisjoint(TIDY)
    monkeypatch.setattr(large_state, "TIDY_EVERY", 2)
    assert planned(warehouse).tuning.items() >= TIDY.items()


class TestUpdatesOfOtherColumns:
    """A 16th of a million rows was updated, which would be a reason to rebuild; but the view does
    not read all columns."""

    @pytest.fixture
    def updated(self, warehouse: Warehouse) -> Warehouse:
        warehouse.metadata = planned(warehouse, sql=DIFFERENT, full_refresh=True).metadata
        warehouse.version += 1
        warehouse.operation = "UPDATE"
        warehouse.metrics = {"numUpdatedRows": str(MANY // 16)}
        return warehouse

    @staticmethod
    def _plan(updated: Warehouse, answer: Any, threshold: float = 0.05, counts: bool = True) -> Any:
        """The plan, and how often it was asked what comes of the change."""
        asked: list[str] = []

        def query(sql: str) -> list[dict[str, Any]]:
            if not sql.startswith("SELECT"):
                return updated(sql)
            assert "table_changes" in sql and "number" in sql
            asked.append(sql)
            if isinstance(answer, Exception):
                raise answer
            return list(answer)

        plan = planned(updated, query=query, sql=DIFFERENT, threshold=threshold, counts=counts)
        return plan, len(asked)

    def test_are_no_reason_to_rebuild(self, updated: Warehouse) -> None:
        plan, asked = self._plan(updated, [])
        assert (plan.kind, asked) == (RefreshKind.INCREMENTAL, 1)
        assert plan.no_ops == {"`s`.`facts`"}
        assert plan.no_op_updates is None, "it is known by now"
        assert "table_changes" not in plan.statements.template["source"]
        assert plan.watermark.stats.work.changed == 0
        assert plan.ranges["`s`.`facts`"].rows == MANY // 16

    @pytest.mark.parametrize("answer", [[{"number": 0}], DbtDatabaseError("FILE_NOT_EXIST")])
    def test_rebuild_if_they_have_a_net_effect(self, updated: Warehouse, answer: Any) -> None:
        plan, asked = self._plan(updated, answer)
        assert (plan.kind, asked) == (RefreshKind.FULL, 1)
        assert plan.reason.code.value == "COST_MODEL"
        assert plan.no_ops == frozenset()

    def test_are_checked_by_an_incremental_refresh(self, updated: Warehouse) -> None:
        plan, asked = self._plan(updated, [], threshold=0.5)
        assert (plan.kind, asked) == (RefreshKind.INCREMENTAL, 0)
        assert plan.no_op_updates.sources == ("`s`.`facts`",)
        without = plan.without(plan.no_op_updates.without_effect([]))
        assert without.watermark.stats.work.changed == 0 < plan.watermark.stats.work.changed

    def test_are_not_checked_by_explain(self, updated: Warehouse) -> None:
        plan, asked = self._plan(updated, [], counts=False)
        assert (plan.kind, asked) == (RefreshKind.FULL, 0)
