"""A model's own query with its sources read at given versions, as its user wrote it.

The comparison uses the user's text as sqlglot reads and writes it. It does not use the operators
that maintain the view, because they are what it tests. If the text leaves the order of rows open
and the model decides it, only the model's operators say what is right.
"""

from __future__ import annotations

from collections.abc import Mapping

import sqlglot
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.clock import at_time
from dbt.adapters.ivm_spark.algebra.columns import with_expressions
from dbt.adapters.ivm_spark.algebra.dialect import IvmSpark, to_sql
from dbt.adapters.ivm_spark.algebra.expressions import function_name
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained
from dbt.adapters.ivm_spark.algebra.traversal import walk
from dbt.adapters.ivm_spark.algebra.tree import Lateral, Limit, Node, ScalarSubquery, Sort, Window
from dbt.adapters.ivm_spark.source.binding import Versions
from dbt.adapters.ivm_spark.sql.build import View
from dbt.adapters.ivm_spark.sql.parse import Parsed
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.rewrite.window import one_answer
from dbt.adapters.ivm_spark.sql.scans import read_at

_OPEN = frozenset(
    """any_value array_agg collect_list collect_set first first_value last last_value listagg
    string_agg""".split()
)
"""Aggregates whose value depends on the order in which Spark meets the rows of a group."""
_LISTS = frozenset("array_agg collect_list collect_set".split())
_ORDERLESS = frozenset(
    "array_contains array_max array_min array_size array_sort cardinality size sort_array".split()
)


def written(
    parsed: Parsed,
    versions: Mapping[str, int] | None = None,
    limited: bool = True,
    clock_at: int = 0,
) -> str | None:
    """Return the query over its sources by name.

    None if a CTE of the query has the name that the tree gives to a source.

    Args:
        parsed: the query.
        versions: of each source that has versions, by quoted name, None for the newest.
        limited: keep the LIMIT at the top of the query.
        clock_at: the time that the query reads, in microseconds since 1970; 0 for the current one.
    """
    if any(cte.alias in parsed.tables for cte in parsed.query.find_all(exp.CTE)):
        return None
    query = parsed.query.copy()
    for table in list(query.find_all(exp.Table)):
        relation = None if table.db else parsed.tables.get(table.name)
        if relation is None:
            continue
        named = exp.to_table(relation.name, dialect="spark")
        for key in ("alias", "pivots", "joins", "laterals"):
            named.set(key, table.args.get(key))
        if versions is not None and relation.name in versions:
            read_at(named, versions[relation.name])
        table.replace(named)
    limits = query if limited else _unlimited(query)
    return to_sql(at_time(limits, clock_at) if clock_at else limits, pretty=True)


def decided(view: View, versions: Mapping[str, int], limited: bool, clock_at: int = 0) -> str:
    """Return the query as the model answers it if the text leaves something open."""
    return _rendered(view.root, versions, limited, clock_at)


def judged(view: View, versions: Mapping[str, int], limited: bool, clock_at: int = 0) -> str:
    """Return the query as it was read, and compared with Spark's plan, at the state's build."""
    return _rendered(view.written, versions, limited, clock_at)


def has_limit(parsed: Parsed, view: View | None) -> bool:
    """Return whether the query has a LIMIT at its top, in the text and in the trees."""
    nodes = () if view is None else (view.root, view.written)
    return bool(parsed.query.args.get("limit")) and all(isinstance(n, Limit) for n in nodes)


def is_decided(view: View) -> bool:
    """Return whether the model decides an order of rows that the query leaves open.

    That is so if the result shows the order: windows whose ORDER BY has ties, the first rows of a
    subquery.
    """
    return any(map(_decides, walk(view.written)))


def open_aggregates(parsed: Parsed) -> list[str]:
    """Return the aggregates of a query whose value SQL leaves open.

    Aggregates over a window are not among them. Neither are lists that are sorted, or that a
    function reads whose result does not depend on their order.
    """
    return sorted({name for node in parsed.query.walk() if (name := _open(node))})


def without_limit(text: str) -> str | None:
    """Return a view's SELECT without the ORDER BY and LIMIT at its top; None without a LIMIT."""
    query: exp.Expr = sqlglot.parse_one(text, dialect=IvmSpark)
    if not isinstance(query, exp.Query) or query.args.get("limit") is None:
        return None
    return to_sql(_unlimited(query))


def held_at(text: str) -> int | None:
    """Return the version at which a view's SELECT reads its state, None for the newest."""
    query: exp.Expr = sqlglot.parse_one(text, dialect=IvmSpark)
    versions = [
        table.args["version"] for table in query.find_all(exp.Table) if table.args.get("version")
    ]
    return int(versions[0].expression.name) if versions else None


def _unlimited(query: exp.Query) -> exp.Query:
    for key in ("limit", "offset", "order"):
        query.set(key, None)
    return query


def _rendered(root: Node, versions: Mapping[str, int], limited: bool, clock_at: int) -> str:
    while not limited and isinstance(root, (Limit, Sort)):
        root = root.input
    if clock_at:
        root = with_expressions(root, lambda expression: at_time(expression, clock_at))
    return to_sql(render(root, Versions({}, dict(versions)).bind), pretty=True)


def _decides(node: Node) -> bool:
    if isinstance(node, (Lateral, ScalarSubquery)):
        return any(isinstance(below, Limit) for below in walk(node.query))
    if not isinstance(node, Window):
        return False
    try:
        return one_answer(node) != node
    except NotMaintained:
        return False


def _open(node: exp.Expr) -> str | None:
    name = function_name(node) if isinstance(node, exp.Anonymous) else None
    if name not in _OPEN:
        return None
    around = node.parent
    while isinstance(around, (exp.Filter, exp.IgnoreNulls, exp.RespectNulls)):
        around = around.parent
    settled = isinstance(around, (exp.Window, exp.WithinGroup))
    orderless = around is not None and function_name(around) in _ORDERLESS
    return None if settled or (orderless and name in _LISTS) else name
