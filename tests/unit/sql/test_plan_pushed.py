"""Conditions that a scan of Iceberg keeps, which the optimized plan no longer shows."""

from __future__ import annotations

from dbt.adapters.ivm_spark.sql.plan_equivalence import normalized_plan

TOLD = "table=i.d.t, schemaId=0, snapshotId=1, branch=null, filters="


def _scan(columns: str, filters: str) -> str:
    return f"BatchScan i.d.t[{columns}] IcebergScan({TOLD}{filters}, runtimeFilters=, groupedBy=)"


def _plan(optimized: str, *scans: str) -> str | None:
    return normalized_plan(
        f"== Optimized Logical Plan ==\n{optimized}\n\n== Physical Plan ==\n"
        + "\n".join(f"   +- {scan} RuntimeFilters: []" for scan in scans)
    )


ONE = "RelationV2[a#1, b#2] i.d.t"


def test_a_condition_that_only_the_scan_has_tells_queries_apart() -> None:
    first = _plan(ONE, _scan("a#1, b#2", "p = 1"))
    assert first is not None
    assert first == _plan(ONE.replace("#1", "#8"), _scan("a#8, b#2", "p = 1"))
    assert first != _plan(ONE, _scan("a#1, b#2", "p = 2"))
    assert first != _plan(ONE, _scan("a#1, b#2", ""))


def test_the_order_of_conditions_and_implied_ones_mean_nothing() -> None:
    first = _plan(ONE, _scan("a#1, b#2", "p IS NOT NULL, p = 1, q IS NOT NULL"))
    assert first == _plan(ONE, _scan("a#1, b#2", "q IS NOT NULL, p = 1"))
    assert first != _plan(ONE, _scan("a#1, b#2", "p = 1"))
    null = _plan(ONE, _scan("a#1, b#2", "p IS NULL"))
    assert null != _plan(ONE, _scan("a#1, b#2", "p IS NULL, p IS NOT NULL"))


def test_each_scan_has_its_own_conditions() -> None:
    both = "Union false, false\n:- RelationV2[a#1] i.d.t\n+- RelationV2[a#2] i.d.t"
    first = _plan(both, _scan("a#1", "p = 1"), _scan("a#2", "p = 2"))
    assert first is not None
    assert first == _plan(both, _scan("a#2", "p = 2"), _scan("a#1", "p = 1"))
    assert first != _plan(both, _scan("a#1", "p = 2"), _scan("a#2", "p = 1"))


def test_a_scan_whose_conditions_are_not_certain_is_not_known() -> None:
    none = "RelationV2[] i.d.t"
    assert _plan(none, _scan("", "p = 1")) is not None
    assert _plan(none) is None
    assert _plan(ONE, _scan("a#1", "p = 1")) is None
    assert _plan(ONE, "BatchScan i.d.t[a#1, b#2] Other(filters=p = 1)") is None
    twice = f"Union false, false\n:- {none}\n+- {none}"
    assert _plan(twice, _scan("", "p = 1"), _scan("", "p = 2")) is None
    assert _plan("RelationV2[count(*)#3L] i.d.t", "LocalTableScan [count(*)#3L]") is None


def test_a_plan_of_other_relations_stays_as_it_is() -> None:
    assert (
        normalized_plan(
            "== Optimized Logical Plan ==\nRelation spark_catalog.s.t[a#1] parquet\n\n"
            "== Physical Plan ==\nanything"
        )
        == "outputs @0\nRelation spark_catalog.s.t[@0] parquet"
    )
