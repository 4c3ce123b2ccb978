"""Rewrites a scalar subquery as a join with the relation of its values.

A subquery of one row of the text, such as `(SELECT current_date())`, is its value. An uncorrelated
subquery becomes a product with one row. A subquery that is correlated by equalities
becomes a LEFT JOIN with one row for each value of the inner sides.
"""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, free_columns, passed
from dbt.adapters.ivm_spark.algebra.reasons import not_supported
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    Filter,
    Item,
    Join,
    Limit,
    Node,
    OuterJoin,
    Project,
    ScalarSubquery,
    Sort,
    Values,
)
from dbt.adapters.ivm_spark.sql.rewrite.decorrelate import (
    Decorrelated,
    decorrelated,
    inner_side,
)
from dbt.adapters.ivm_spark.sql.rewrite.for_each_row import Peeled, beside_aggregate, peeled
from dbt.adapters.ivm_spark.sql.rewrite.rows import one_row, one_row_at_most


def rewrite_scalar(node: ScalarSubquery) -> Node:
    """Return the input joined with the values of the subquery.

    Raises NotMaintained (OPERATOR_NOT_SUPPORTED) for a subquery that may have two rows; Spark fails
    on two rows.
    """
    query = peeled(node.query)
    if isinstance(query.base, Values) and one_row(query.base):
        texts = dict(zip(query.base.names, query.base.rows[0], strict=True))
        return _with_value(node, node.input, query.over(texts))
    if isinstance(query.base, Aggregate) and query.base.whole:
        joined, values = beside_aggregate(node.input, query.base, f"__ivm_{node.name}_")
        return _with_value(node, joined, query.over(values))
    if free_columns(node.query):
        return _of_groups(node)
    if one_row(query.base):
        return _with_value(node, Join((query.base, node.input)), query)
    if not one_row_at_most(node.query):
        raise not_supported("a scalar subquery that may return several rows")
    row = Project(node.query, (Item(node.name, column(node.query.columns[0])),))
    return OuterJoin(node.input, row, "LEFT", ())


def _of_groups(node: ScalarSubquery) -> Node:
    """Return the join with a correlated subquery that has GROUP BY or LIMIT 1.

    With GROUP BY it has at most one row if the correlation determines each key. Over no rows it has
    none.
    """
    below = decorrelated(node.query, f"__ivm_{node.name}_")
    if not _limited_to_one(node.query) and not _one_group(below):
        raise not_supported("a correlated scalar subquery without an aggregate or LIMIT 1")
    name = node.query.columns[0]
    items = list(passed(c for c in below.node.columns if c != name))
    row = Project(below.node, (Item(node.name, column(name)), *items))
    return OuterJoin(node.input, row, "LEFT", below.predicates)


def _limited_to_one(query: Node) -> bool:
    while isinstance(query, (Project, Filter, Sort)):
        query = query.input
    limit = query.limit if isinstance(query, Limit) else None
    return isinstance(limit, exp.Literal) and limit.is_int and int(limit.name) == 1


def _one_group(below: Decorrelated) -> bool:
    """Return whether each row of the outer block has at most one group as its partner."""
    base = below.node
    while isinstance(base, (Project, Filter, Sort)):
        base = base.input
    tied = {side.name for side in _inner_sides(below)}
    return isinstance(base, Aggregate) and {key.name for key in base.keys} <= tied


def _inner_sides(below: Decorrelated) -> list[exp.Column]:
    inner = set(below.node.columns)
    sides = [inner_side(p, inner) for p in below.predicates]
    if any(s is None or not isinstance(s[0], exp.Column) for s in sides):
        raise not_supported("a scalar subquery with a correlation other than equality")
    return [s[0] for s in sides if s is not None and isinstance(s[0], exp.Column)]


def _with_value(node: ScalarSubquery, joined: Node, query: Peeled) -> Node:
    value = query.values[node.query.columns[0]]
    if query.conditions:
        holds = exp.and_(*query.conditions, wrap=True)
        value = exp.Case(ifs=[exp.If(this=holds, true=value)])
    items = passed(node.input.columns)
    return Project(joined, (*items, Item(node.name, value)))
