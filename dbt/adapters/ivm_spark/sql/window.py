"""Turns the window functions of a query block into Window operators, one for each PARTITION BY."""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column
from dbt.adapters.ivm_spark.algebra.expressions import function_name
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode
from dbt.adapters.ivm_spark.algebra.tree import Item, Node, Window
from dbt.adapters.ivm_spark.sql.names import Names


class Windows:
    """Collects the different window functions of one block.

    All expressions are over the columns of the block's rows, after GROUP BY and HAVING.
    """

    def __init__(self, names: Names) -> None:
        self._names = names
        self._items: list[Item] = []

    def over(self, expression: exp.Expr, wanted: str = "") -> exp.Expr:
        """Return the expression with a column in place of each window function."""
        if isinstance(expression, exp.Window):
            return column(self._item(expression, wanted))
        if expression.find(exp.Window) is None:
            return expression
        swapped = expression.copy()
        for found in list(swapped.find_all(exp.Window)):
            found.replace(column(self._item(found, "")))
        return swapped

    def node(self, input_: Node) -> Node:
        """Return the block's rows with all collected windows, the first PARTITION BY innermost."""
        waiting = list(self._items)
        while waiting:
            keys = _keys(waiting[0])
            input_ = Window(input_, tuple(i for i in waiting if _keys(i) == keys))
            waiting = [i for i in waiting if _keys(i) != keys]
        return input_

    def _item(self, window: exp.Window, wanted: str) -> str:
        for item in self._items:
            if item.expression == window:
                return item.name
        name = self._names.unique(wanted or function_name(window.this) or "window")
        self._items.append(Item(name, window.copy()))
        return name


def spelled_out(expression: exp.Expr, select: exp.Select) -> exp.Expr:
    """Return the expression with the WINDOW clause's definitions in place of their names.

    Raises NotMaintained (QUERY_NOT_UNDERSTOOD) for a name that the clause does not define.
    """
    if isinstance(expression, exp.Column) or expression.find(exp.Window) is None:
        return expression
    named = {w.this.name.lower(): w for w in select.args.get("windows") or ()}
    spelled = expression.copy()
    for window in list(spelled.find_all(exp.Window)):
        seen: set[str] = set()
        while window.args.get("alias") is not None:
            name = window.args["alias"].name.lower()
            if name in seen or name not in named or _defined(window):
                raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, f"the window {name}")
            seen.add(name)
            definition = named[name].copy()
            for part in ("partition_by", "order", "spec", "alias"):
                window.set(part, definition.args.get(part))
    return spelled


def _defined(window: exp.Window) -> bool:
    return any(window.args.get(part) for part in ("partition_by", "order", "spec"))


def _keys(item: Item) -> list[exp.Expr]:
    return list(item.expression.args["partition_by"])
