"""A materialized relation is a leaf of the plans that read it, and is freed with its view."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.errors import PySparkException

from dbt.adapters.ivm_spark.session import local_rows, stored_rows
from dbt.adapters.ivm_spark.session.handle import SessionHandle
from tests.conftest import OpenHandle

pytestmark = pytest.mark.usefixtures("embedded")
FIRST, SECOND = "ivm_materialized_1_leaf", "ivm_materialized_2_leaf"
PLANS = "spark.sql.legacy.storeAnalyzedPlanForView"


def rows(handle: SessionHandle, sql: str) -> list[tuple[object, ...]]:
    handle.execute(sql)
    return sorted(tuple(row) for row in handle.fetchall())


def stored(handle: SessionHandle) -> int:
    """How many relations Spark has stored."""
    return int(handle.session.sparkContext._jsc.getPersistentRDDs().size())


def logical(handle: SessionHandle, sql: str) -> str:
    """The plan after Spark has read the names, without what made the stored rows."""
    plan = handle.session.sql(sql)._jdf.queryExecution().analyzed()
    names: list[str] = []
    waiting = [plan]
    while waiting:
        node = waiting.pop()
        names.append(node.nodeName().split(" ")[0])
        below = node.children()
        waiting += [below.apply(place) for place in range(below.size())]
    return " ".join(sorted(names))


@pytest.fixture
def chain(handle: SessionHandle, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Two relations that the driver does not keep, the second over the first.

    Yield how many were stored before.
    """
    monkeypatch.setattr(stored_rows, "FEW_ROWS", 0)
    before = stored(handle)
    handle.execute(f"set {PLANS}=true")
    handle.execute(f"cache table {FIRST} as select id as k, id % 3 as g from range(10)")
    handle.execute(
        f"/* dbt */\n  cache table {SECOND} as select a.k, a.g from {FIRST} a "
        f"where exists (select 1 from {FIRST} b where b.g = a.g and b.k > 7)"
    )
    yield before
    for name in (SECOND, FIRST):
        handle.execute(f"drop view if exists {name}")
    handle.execute(f"reset {PLANS}")


def test_a_materialized_relation_is_planned_as_a_scan_of_its_rows(
    handle: SessionHandle, chain: int
) -> None:
    assert (
        logical(handle, f"select * from {FIRST}") == "InMemoryRelation Project SubqueryAlias View"
    )


def test_a_small_relation_over_others_drops_their_plan_and_is_one_partition(
    handle: SessionHandle, chain: int
) -> None:
    assert logical(handle, f"select * from {SECOND}") == "LogicalRDD Project SubqueryAlias View"
    frame = handle.session.table(SECOND)
    assert FIRST not in frame._jdf.queryExecution().toString()
    assert frame.rdd.getNumPartitions() == 1


def test_a_large_relation_over_others_stays_in_the_cache(
    handle: SessionHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_rows, "FEW_ROWS", 0)
    monkeypatch.setattr(stored_rows, "COPIED_ROWS", 3)
    handle.execute(f"set {PLANS}=true")
    handle.execute(f"cache table {FIRST} as select id as k from range(10)")
    handle.execute(f"cache table {SECOND} as select a.k from {FIRST} a")
    try:
        assert "InMemoryRelation" in logical(handle, f"select * from {SECOND}")
        assert rows(handle, f"select sum(k) from {SECOND}") == [(45,)]
    finally:
        for name in (SECOND, FIRST):
            handle.execute(f"drop view if exists {name}")


def test_a_relation_has_the_rows_of_its_query_even_in_a_self_join(
    handle: SessionHandle, chain: int
) -> None:
    wanted = [(k, k % 3) for k in range(10) if k % 3 in (8 % 3, 9 % 3)]
    assert rows(handle, f"select * from {SECOND}") == wanted
    joined = f"select a.k, b.g from {SECOND} a join {SECOND} b on a.k = b.k"
    assert rows(handle, joined) == wanted


def test_dropping_a_relations_view_frees_its_rows(handle: SessionHandle, chain: int) -> None:
    assert stored(handle) == chain + 2
    handle.execute(f"drop view if exists {SECOND}")
    assert stored(handle) == chain + 1
    handle.execute(f"drop view if exists {FIRST}")
    assert stored(handle) == chain


def test_closing_the_connection_frees_its_rows(
    spark_parameters: dict[str, str], open_handle: OpenHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_rows, "FEW_ROWS", 0)
    own = open_handle(spark_parameters)
    before = stored(own)
    own.execute(f"cache table {FIRST} as select id as k from range(10)")
    context = own.session.sparkContext
    own.close()
    assert context._jsc.getPersistentRDDs().size() == before


def test_a_view_of_the_users_keeps_its_plan(handle: SessionHandle) -> None:
    handle.execute("cache table of_the_user as select id as k from range(3)")
    try:
        assert "Range" in logical(handle, "select * from of_the_user")
    finally:
        handle.execute("drop view of_the_user")


class TestFewRows:
    """Few rows are kept in the driver, and the statement is not sent."""

    @pytest.fixture(autouse=True)
    def plans(self, handle: SessionHandle) -> Iterator[None]:
        handle.execute(f"set {PLANS}=true")
        yield
        handle.execute(f"reset {PLANS}")

    def store(self, handle: SessionHandle, name: str, query: str) -> None:
        with handle.storing_few():
            handle.execute(f"/* dbt */\ncache table {name} as\n{query}")

    def test_their_relation_is_a_leaf_and_spark_stores_nothing(self, handle: SessionHandle) -> None:
        before = stored(handle)
        self.store(handle, FIRST, "select id as k, id % 3 as g from range(10)")
        self.store(handle, SECOND, f"select g, count(*) as n from {FIRST} group by g")
        assert (
            logical(handle, f"select * from {SECOND}") == "LocalRelation Project SubqueryAlias View"
        )
        assert rows(handle, f"select * from {SECOND}") == [(0, 4), (1, 3), (2, 3)]
        assert stored(handle) == before
        for name in (SECOND, FIRST):
            handle.execute(f"drop view if exists {name}")
            assert not handle.session.catalog.tableExists(name)

    def test_a_relation_that_turns_out_to_be_small_is_kept_too(self, handle: SessionHandle) -> None:
        before = stored(handle)
        handle.execute(f"cache table {FIRST} as select id as k from range(10)")
        assert "LocalRelation" in logical(handle, f"select * from {FIRST}")
        assert stored(handle) == before
        assert rows(handle, f"select sum(k) from {FIRST}") == [(45,)]
        handle.execute(f"drop view if exists {FIRST}")

    def test_more_rows_are_stored_by_the_statement(
        self, handle: SessionHandle, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(local_rows, "FEW_ROWS", 9)
        monkeypatch.setattr(stored_rows, "FEW_ROWS", 9)
        self.store(handle, FIRST, "select id as k from range(10)")
        assert "InMemoryRelation" in logical(handle, f"select * from {FIRST}")
        assert rows(handle, f"select count(*) from {FIRST}") == [(10,)]
        handle.execute(f"drop view if exists {FIRST}")

    def test_large_rows_are_stored_by_the_statement(self, handle: SessionHandle) -> None:
        self.store(handle, FIRST, "select repeat(uuid(), 100000) as t from range(20)")
        assert "InMemoryRelation" in logical(handle, f"select * from {FIRST}")
        assert rows(handle, f"select count(*) from {FIRST}") == [(20,)]
        handle.execute(f"drop view if exists {FIRST}")

    def test_every_value_stays_exactly_as_it_is(self, handle: SessionHandle) -> None:
        values = {
            "d": "date'0001-01-01'",
            "gap": "date'1582-10-10'",
            "t": "timestamp'1582-10-10 12:00:00.123456'",
            "n": "timestamp_ntz'0001-12-31 23:59:59.999999'",
            "f": "array(float('nan'), float('-0.0'), float('inf'), null)",
            "x": "double('-0.0')",
            "c": "cast('9999999999999999999999999999.9999999999' as decimal(38, 10))",
            "b": "unhex('00ff')",
            "m": "map('a', struct(1 as y, array(null, 'z') as z))",
            "i": "interval '-3' month",
            "s": "interval '1 02:03:04.000005' day to second",
            "v": "parse_json('{\"a\": [1, null]}')",
            "z": "cast(null as void)",
        }
        query = "select " + ", ".join(f"{value} as {name}" for name, value in values.items())
        self.store(handle, FIRST, query)
        shown = ", ".join(
            f"to_json(struct({name}))" if name in "fmv" else f"cast({name} as string)"
            for name in values
        )
        wanted = rows(handle, f"select {shown} from ({query})")
        assert rows(handle, f"select {shown} from {FIRST}") == wanted
        kinds = f"describe query select * from {FIRST}", f"describe query {query}"
        assert rows(handle, kinds[0]) == rows(handle, kinds[1])
        handle.execute(f"drop view if exists {FIRST}")

    def test_they_are_computed_under_the_settings_of_the_session(
        self, handle: SessionHandle
    ) -> None:
        handle.execute("set spark.sql.legacy.timeParserPolicy=LEGACY")
        self.store(
            handle,
            FIRST,
            "select to_date(concat('2020-1-', id), 'yyyy-MM-dd') as d from range(1, 3)",
        )
        assert len(rows(handle, f"select cast(d as string) from {FIRST} where d is not null")) == 2
        handle.execute(f"drop view if exists {FIRST}")
        handle.execute("reset spark.sql.legacy.timeParserPolicy")

    def test_an_error_is_the_statements_own(self, handle: SessionHandle) -> None:
        with pytest.raises(PySparkException, match="DIVIDE_BY_ZERO"):
            self.store(handle, FIRST, "select raise_error('[DIVIDE_BY_ZERO]') as k")

    def test_a_cancelled_relation_is_not_computed_again(
        self, handle: SessionHandle, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def cancelled(*_: object) -> None:
            raise PySparkException("[SPARK_JOB_CANCELLED] Job 3 cancelled. SQLSTATE: XXKDA")

        monkeypatch.setattr(stored_rows, "local_rows", cancelled)
        with pytest.raises(PySparkException, match="CANCELLED"):
            self.store(handle, FIRST, "select 1 as k")
        assert not handle.session.catalog.tableExists(FIRST)
