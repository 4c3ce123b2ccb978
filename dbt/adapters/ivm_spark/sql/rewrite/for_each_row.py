"""Subquery results for each row of its outer block, as a relation beside that row.

An aggregate without GROUP BY has a row even over no rows, but a join with its groups has none. So
expressions over aggregates are computed above the join, with each aggregate's value over no rows.

Source: Kim's count bug; Ganski, Wong, "Optimization of nested SQL queries revisited" (SIGMOD 1987).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, free_columns, over, used_columns
from dbt.adapters.ivm_spark.algebra.expressions import function_name
from dbt.adapters.ivm_spark.algebra.predicates import conjuncts
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
    Sort,
)
from dbt.adapters.ivm_spark.sql.rewrite.decorrelate import decorrelated, inner_side
from dbt.adapters.ivm_spark.sql.rewrite.rows import keeps_one, one_row_at_most

_ZERO = frozenset({"approx_count_distinct", "count", "count_if", "regr_count"})
_NULL = frozenset(
    """any any_value avg bit_and bit_or bit_xor bool_and bool_or corr covar_pop covar_samp every
    first first_value kurtosis last last_value max max_by mean median min min_by mode percentile
    percentile_approx approx_percentile percentile_cont percentile_disc regr_avgx regr_avgy
    regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy skewness some std stddev
    stddev_pop stddev_samp sum try_avg try_sum var_pop var_samp variance""".split()
)


@dataclass(frozen=True)
class Peeled:
    """A subquery without the projections, filters and sorts at its top.

    Attributes:
        values: the expression of each output, over the columns of `base`.
        conditions: what must be true for a row, over the columns of `base`.
        base: the relation below.
    """

    values: dict[str, exp.Expr]
    conditions: tuple[exp.Expr, ...]
    base: Node

    def over(self, items: dict[str, exp.Expr]) -> Peeled:
        """Return the values and conditions over the columns from which the items are computed."""
        values = {name: over(value, items) for name, value in self.values.items()}
        return Peeled(values, tuple(over(c, items) for c in self.conditions), self.base)


def peeled(query: Node) -> Peeled:
    """Return the subquery's outputs and conditions separately from the relation below them."""
    found = Peeled({c: column(c) for c in query.columns}, (), query)
    while True:
        node = found.base
        if isinstance(node, Project):
            found = found.over({item.name: item.expression for item in node.items})
        elif isinstance(node, Filter):
            found = replace(found, conditions=(*found.conditions, *conjuncts(node.predicate)))
        elif not isinstance(node, (Sort, Limit)) or not _keeps_all(node):
            return found
        found = replace(found, base=node.input)


def _keeps_all(node: Sort | Limit) -> bool:
    return isinstance(node, Sort) or (keeps_one(node) and one_row_at_most(node.input))


def beside_aggregate(
    input_: Node, base: Aggregate, prefix: str
) -> tuple[Node, dict[str, exp.Expr]]:
    """Join each row of the input with its row of an aggregate without GROUP BY.

    Also returns the value of each aggregate whose column may be missing, as an expression. prefix:
    the start of the names of new columns, unique in the tree. Raises NotMaintained.
    """
    if any(free_columns(base) & used_columns(i.expression) for i in base.aggregates):
        raise not_supported("an outer column inside an aggregate")
    below = decorrelated(base.input, prefix)
    if not below.predicates:
        return Join((base, input_)), {}
    keys, on = _keys(prefix, below.node, below.predicates)
    groups = Aggregate(below.node, keys, base.aggregates)
    return OuterJoin(input_, groups, "LEFT", on), {
        item.name: _over_no_rows(item) for item in base.aggregates
    }


def _over_no_rows(item: Item) -> exp.Expr:
    """Return an aggregate's column, with its value over no rows if the LEFT JOIN finds no group."""
    function = function_name(item.expression)
    if function in _ZERO:
        return exp.Coalesce(this=column(item.name), expressions=[exp.Literal.number(0)])
    if function not in _NULL:
        raise not_supported(f"{function}() in a correlated subquery")
    return column(item.name)


def _keys(
    prefix: str, inner: Node, predicates: tuple[exp.Expr, ...]
) -> tuple[tuple[Item, ...], tuple[exp.Expr, ...]]:
    """Return the keys that group the values, and the predicates over them."""
    keys: list[Item] = []
    on: list[exp.Expr] = []
    for place, predicate in enumerate(predicates):
        sides = inner_side(predicate, set(inner.columns))
        if sides is None:
            raise not_supported("an aggregate with a correlation other than equality")
        one, other = sides
        key = next((k for k in keys if k.expression == one), None)
        if key is None:
            bare = isinstance(one, exp.Column)
            key = Item(one.name if bare else f"{prefix}key_{place}", one)
            keys.append(key)
        on.append(type(predicate.unnest())(this=column(key.name), expression=other))
    return tuple(keys), tuple(on)
