"""Makes the result of window functions unique: fixes the order of rows that ORDER BY holds equal.

SQL leaves that order open. So row_number, lag, a frame of ROWS or a sum of floats may differ from
one run to the next. A refresh could then not remove the rows that an earlier one has stored. The
rewrite appends all columns of the input to ORDER BY. Rows that are still equal are interchangeable.
The result is one of those that the query may have.

Sometimes rows that ORDER BY holds equal must have equal results, and a longer ORDER BY would
separate them:
1. rank and similar functions, and functions that do not depend on the order, stay as they are.
2. A function of all rows up to the last equal row is computed for every row in the fixed order.
   Each row then takes the value of the last among its equals.
"""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, passed
from dbt.adapters.ivm_spark.algebra.expressions import function_name
from dbt.adapters.ivm_spark.algebra.frames import (
    BY_PEERS,
    BY_PLACE,
    ROUNDED,
    Frame,
    all_rows,
    frame_of,
    in_order,
    takes_first,
)
from dbt.adapters.ivm_spark.algebra.reasons import not_supported
from dbt.adapters.ivm_spark.algebra.tree import Aggregate, Filter, Item, Node, Project, Sort, Window

_EACH = "__ivm_each_"
_FOR_EACH = (ROUNDED - {"corr"}) | frozenset(
    """any_value array_agg collect_list collect_set first first_value last last_value listagg max_by
    min_by mode nth_value string_agg""".split()
)
"""Functions that can be evaluated after every row. corr would fail if it divides by zero over some
of the equal rows but not over all of them. Sketches become coarser when they are evaluated."""


def one_answer(node: Window) -> Node:
    """Return the same windows over the same rows, with one possible result.

    `delta.type_checks` checks the types. Raises NotMaintained (OPERATOR_NOT_SUPPORTED) for a
    function that depends on the order of equal rows in a frame for which this is not possible.
    """
    inner: list[Item] = []
    outer: dict[tuple[exp.Expr, ...], list[Item]] = {}
    for item in node.items:
        window = item.expression
        assert isinstance(window, exp.Window)
        if _of_last_peer(window) and _ties(window, node.input):
            each = Item(_EACH + item.name, _ordered(window, node.input))
            inner.append(each)
            last = _last(window, each.name, node.input)
            outer.setdefault(tuple(last.args["partition_by"]), []).append(Item(item.name, last))
        else:
            inner.append(Item(item.name, _fixed(window, node.input)))
    result: Node = Window(node.input, tuple(inner))
    for items in outer.values():
        result = Window(result, tuple(items))
    if not outer:
        return result
    return Project(result, passed(node.columns))


def _fixed(window: exp.Window, rows: Node) -> exp.Expr:
    name, frame = function_name(window.this), frame_of(window)
    if name in BY_PLACE or (frame is Frame.ROWS and name not in BY_PEERS):
        return _ordered(window, rows)
    if name in BY_PEERS or not in_order(window):
        return window
    if window.find(exp.WithinGroup) is not None:
        raise not_supported(f"{name}() WITHIN GROUP OVER")
    if frame is Frame.WHOLE:
        whole = _ordered(window, rows)
        whole.set("spec", all_rows())
        return whole
    if frame is Frame.UP_TO_PEERS and (takes_first(window) or not _ties(window, rows)):
        return _ordered(window, rows)
    if frame is Frame.RANGE and name in ROUNDED:
        return window
    raise not_supported(f"{name}() over a RANGE of rows without a fixed order")


def _of_last_peer(window: exp.Window) -> bool:
    """Return whether a function takes rows in order, in a frame that ends with the last peer."""
    nested = window.find(exp.WithinGroup) is not None
    fits = function_name(window.this) in _FOR_EACH and not takes_first(window)
    return fits and not nested and frame_of(window) is Frame.UP_TO_PEERS


def _last(window: exp.Window, each: str, rows: Node) -> exp.Window:
    """Return the value `each` of the last among the rows that ORDER BY holds equal to the row."""
    keys = _unique([*window.args["partition_by"], *(o.this for o in _orderings(window))])
    return exp.Window(
        this=exp.Anonymous(this="last_value", expressions=[column(each)]),
        partition_by=[key.copy() for key in keys],
        order=_order(_ties(window, rows)),
        spec=all_rows(),
        over="OVER",
    )


def _ordered(window: exp.Window, rows: Node) -> exp.Window:
    """Return the window with the remaining columns at the end of its ORDER BY."""
    ordered = window.copy()
    given = [o.copy() for o in _orderings(window)]
    ordered.set("order", _order([*given, *_ties(window, rows)]))
    return ordered


def _ties(window: exp.Window, rows: Node) -> list[exp.Ordered]:
    """Return orderings by the columns that the window neither partitions by nor orders by.

    Return none if it does so by all keys of a GROUP BY, because no two rows share these.
    """
    used = [*window.args["partition_by"], *(o.this for o in _orderings(window))]
    known = {e.name for e in used if isinstance(e, exp.Column)}
    groups = rows
    while isinstance(groups, (Filter, Sort)):
        groups = groups.input
    if isinstance(groups, Aggregate) and {key.name for key in groups.keys} <= known:
        return []
    return [exp.Ordered(this=column(c), nulls_first=True) for c in rows.columns if c not in known]


def _orderings(window: exp.Window) -> list[exp.Ordered]:
    order = window.args.get("order")
    return list(order.expressions) if order else []


def _order(orderings: list[exp.Ordered]) -> exp.Order | None:
    return exp.Order(expressions=orderings) if orderings else None


def _unique(keys: list[exp.Expr]) -> list[exp.Expr]:
    return [key for place, key in enumerate(keys) if key not in keys[:place]]
