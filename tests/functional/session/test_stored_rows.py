"""A materialized relation is a leaf of the plans that read it, and goes with its view."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dbt.adapters.ivm_spark.session import stored_rows
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
def chain(handle: SessionHandle) -> Iterator[int]:
    """Two relations, the second over the first; how many were stored before."""
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


def test_its_plan_is_the_scan_of_its_rows(handle: SessionHandle, chain: int) -> None:
    assert (
        logical(handle, f"select * from {FIRST}") == "InMemoryRelation Project SubqueryAlias View"
    )


def test_a_relation_over_others_forgets_them_and_is_one_partition(
    handle: SessionHandle, chain: int
) -> None:
    assert logical(handle, f"select * from {SECOND}") == "LogicalRDD Project SubqueryAlias View"
    frame = handle.session.table(SECOND)
    assert FIRST not in frame._jdf.queryExecution().toString()
    assert frame.rdd.getNumPartitions() == 1


def test_a_large_relation_over_others_stays_in_the_cache(
    handle: SessionHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_rows, "FEW_ROWS", 3)
    handle.execute(f"set {PLANS}=true")
    handle.execute(f"cache table {FIRST} as select id as k from range(10)")
    handle.execute(f"cache table {SECOND} as select a.k from {FIRST} a")
    try:
        assert "InMemoryRelation" in logical(handle, f"select * from {SECOND}")
        assert rows(handle, f"select sum(k) from {SECOND}") == [(45,)]
    finally:
        for name in (SECOND, FIRST):
            handle.execute(f"drop view if exists {name}")


def test_it_has_the_rows_of_its_query_also_beside_itself(handle: SessionHandle, chain: int) -> None:
    wanted = [(k, k % 3) for k in range(10) if k % 3 in (8 % 3, 9 % 3)]
    assert rows(handle, f"select * from {SECOND}") == wanted
    joined = f"select a.k, b.g from {SECOND} a join {SECOND} b on a.k = b.k"
    assert rows(handle, joined) == wanted


def test_its_rows_go_with_its_view(handle: SessionHandle, chain: int) -> None:
    assert stored(handle) == chain + 2
    handle.execute(f"drop view if exists {SECOND}")
    assert stored(handle) == chain + 1
    handle.execute(f"drop view if exists {FIRST}")
    assert stored(handle) == chain


def test_its_rows_go_with_the_connection(
    spark_parameters: dict[str, str], open_handle: OpenHandle
) -> None:
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
