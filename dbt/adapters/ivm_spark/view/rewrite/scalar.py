"""A scalar subquery becomes a join with the relation of its values.

Uncorrelated it is the product with one row. Correlated by equalities it is a LEFT JOIN with one
row for each value of the inner sides. An aggregate without GROUP BY has a value also where there is
no row, which the join has not: what is computed from aggregates is computed above the join, with
each aggregate's value over no rows (Kim's count bug; Ganski, Wong, "Optimization of nested SQL
queries revisited", SIGMOD 1987).
"""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.view.columns import column, free_columns, over, passed, used_columns
from dbt.adapters.ivm_spark.view.conjuncts import conjuncts
from dbt.adapters.ivm_spark.view.expressions import function_name
from dbt.adapters.ivm_spark.view.reasons import not_supported
from dbt.adapters.ivm_spark.view.rewrite.decorrelate import decorrelated, inner_side
from dbt.adapters.ivm_spark.view.rewrite.rows import keeps_one, one_row, one_row_at_most
from dbt.adapters.ivm_spark.view.tree import (
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
)

_ZERO = frozenset({"approx_count_distinct", "count", "count_if", "regr_count"})
_NULL = frozenset(
    """any any_value avg bit_and bit_or bit_xor bool_and bool_or corr covar_pop covar_samp every
    first first_value kurtosis last last_value max max_by mean median min min_by mode percentile
    percentile_approx approx_percentile percentile_cont percentile_disc regr_avgx regr_avgy
    regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy skewness some std stddev
    stddev_pop stddev_samp sum try_avg try_sum var_pop var_samp variance""".split()
)

_MORE = "a scalar subquery correlated by more than equalities"


def rewrite_scalar(node: ScalarSubquery) -> Node:
    """The input joined with the values of the subquery.

    Raises NotMaintained (OPERATOR_NOT_SUPPORTED) for a subquery that may have two rows, for which
    Spark fails, and for a correlated one without an aggregate.
    """
    value, conditions, base = _peeled(node.query)
    if isinstance(base, Aggregate) and base.whole:
        return _of_aggregate(node, base, value, conditions)
    if not free_columns(node.query):
        return _of_one_row(node, base, value, conditions)
    return _of_groups(node)


def _peeled(query: Node) -> tuple[exp.Expr, list[exp.Expr], Node]:
    """The value over the columns of the relation below, and the conditions under which it has a
    row; what is below is no projection and no filter."""
    value: exp.Expr = column(query.columns[0])
    conditions: list[exp.Expr] = []
    node = query
    while True:
        if isinstance(node, Project):
            items = {item.name: item.expression for item in node.items}
            value = over(value, items)
            conditions = [over(c, items) for c in conditions]
        elif isinstance(node, Filter):
            conditions.extend(conjuncts(node.predicate))
        elif not isinstance(node, Sort) and not (isinstance(node, Limit) and keeps_one(node)):
            return value, conditions, node
        node = node.input


def _of_aggregate(
    node: ScalarSubquery, base: Aggregate, value: exp.Expr, conditions: list[exp.Expr]
) -> Node:
    """An aggregate without GROUP BY: each row of the input has one group, perhaps empty."""
    if any(free_columns(base) & used_columns(i.expression) for i in base.aggregates):
        raise not_supported("an outer column inside an aggregate")
    below = decorrelated(base.input, f"__ivm_{node.name}_")
    if not below.predicates:
        joined: Node = Join((base, node.input))
        return _with_value(node, joined, value, conditions)
    keys, on = _keys(node, below.node, below.predicates)
    groups = Aggregate(below.node, keys, base.aggregates)
    joined = OuterJoin(node.input, groups, "LEFT", on)
    empty = {item.name: _over_no_rows(item) for item in base.aggregates}
    return _with_value(node, joined, over(value, empty), [over(c, empty) for c in conditions])


def _over_no_rows(item: Item) -> exp.Expr:
    """An aggregate's column, with its value over no rows where the LEFT JOIN has no group."""
    function = function_name(item.expression)
    if function in _ZERO:
        return exp.Coalesce(this=column(item.name), expressions=[exp.Literal.number(0)])
    if function not in _NULL:
        raise not_supported(f"{function}() in a correlated subquery")
    return column(item.name)


def _keys(
    node: ScalarSubquery, inner: Node, predicates: tuple[exp.Expr, ...]
) -> tuple[tuple[Item, ...], tuple[exp.Expr, ...]]:
    """What the values are grouped by, and the predicates over it."""
    keys: list[Item] = []
    on: list[exp.Expr] = []
    for place, predicate in enumerate(predicates):
        one, other = _sides(predicate, inner)
        key = next((k for k in keys if k.expression == one), None)
        if key is None:
            bare = isinstance(one, exp.Column)
            key = Item(one.name if bare else f"__ivm_{node.name}_key_{place}", one)
            keys.append(key)
        on.append(type(predicate.unnest())(this=column(key.name), expression=other))
    return tuple(keys), tuple(on)


def _of_one_row(
    node: ScalarSubquery, base: Node, value: exp.Expr, conditions: list[exp.Expr]
) -> Node:
    """An uncorrelated subquery of one row, or of none."""
    if one_row(base):
        return _with_value(node, Join((base, node.input)), value, conditions)
    if not one_row_at_most(node.query):
        raise not_supported("a scalar subquery that may have several rows")
    row = Project(node.query, (Item(node.name, column(node.query.columns[0])),))
    return OuterJoin(node.input, row, "LEFT", ())


def _of_groups(node: ScalarSubquery) -> Node:
    """A correlated subquery with GROUP BY: it has one row at most where the correlation says what
    each key is, and none for no rows."""
    below = decorrelated(node.query, f"__ivm_{node.name}_")
    base = below.node
    name = node.query.columns[0]
    inner = [_sides(p, below.node)[0] for p in below.predicates]
    if not all(isinstance(side, exp.Column) for side in inner):
        raise not_supported(_MORE)
    tied = {side.name for side in inner}
    while isinstance(base, (Project, Filter, Sort)):
        base = base.input
    if not isinstance(base, Aggregate) or not {k.name for k in base.keys} <= tied:
        raise not_supported("a correlated scalar subquery without an aggregate")
    items = list(passed(c for c in below.node.columns if c != name))
    row = Project(below.node, (Item(node.name, column(name)), *items))
    return OuterJoin(node.input, row, "LEFT", below.predicates)


def _sides(predicate: exp.Expr, inner: Node) -> tuple[exp.Expr, exp.Expr]:
    sides = inner_side(predicate, set(inner.columns))
    if sides is None:
        raise not_supported(_MORE)
    return sides


def _with_value(
    node: ScalarSubquery, joined: Node, value: exp.Expr, conditions: list[exp.Expr]
) -> Node:
    if conditions:
        holds = exp.and_(*conditions, wrap=True)
        value = exp.Case(ifs=[exp.If(this=holds, true=value)])
    items = passed(node.input.columns)
    return Project(joined, (*items, Item(node.name, value)))
