"""Turns `window(time, duration)` in a query block into a TimeWindow operator below its GROUP BY.

Spark computes the windows of a block before anything else in it reads them, and gives their column
the name `window`: `select window.start ... group by window(ts, '1 hour')`. A block has the windows
of one call only, as in Spark.
"""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column
from dbt.adapters.ivm_spark.algebra.expressions import TIME_WINDOW, function_name
from dbt.adapters.ivm_spark.algebra.reasons import not_supported
from dbt.adapters.ivm_spark.algebra.tree import Node, TimeWindow
from dbt.adapters.ivm_spark.sql.environment import Environment
from dbt.adapters.ivm_spark.sql.names import Names

_CLAUSES = ("expressions", "group", "having", "order")


def name_time_windows(query: exp.Query) -> None:
    """Put the call in place of `window` and `window.start`, before names are resolved.

    A table of that name keeps its columns. If a table has a column of that name, Spark's plan for
    the tree is another one.
    """
    for select in query.find_all(exp.Select):
        calls = list(dict.fromkeys(_calls(select)))
        joins = [join.this for join in select.args.get("joins") or ()]
        source = select.args.get("from_")
        tables = [source.this, *joins] if source is not None else joins
        if len(calls) != 1 or any(t.alias_or_name.lower() == TIME_WINDOW for t in tables):
            continue
        for part in _parts(select):
            walked = part.walk(prune=lambda n: isinstance(n, exp.Query))
            for found in [c for c in walked if isinstance(c, exp.Column) and _names_window(c)]:
                call: exp.Expr = calls[0].copy()
                if found.table:
                    call = exp.Dot(this=call, expression=found.this.copy())
                elif found.parent is select:
                    call = exp.alias_(call, TIME_WINDOW)
                found.replace(call)


class TimeWindows:
    """The windows of time of one block; `taken` leaves a column in the place of their call."""

    def __init__(self, names: Names, environment: Environment) -> None:
        self._names = names
        self._environment = environment
        self._call: exp.Expr | None = None
        self._name = ""

    def taken(self, select: exp.Select) -> exp.Select:
        """Return the block with a column in place of its calls; `over` then adds that column.

        Raises NotMaintained for calls of different windows.
        """
        calls = list(dict.fromkeys(_calls(select)))
        if not calls:
            return select
        if len(calls) > 1:
            raise not_supported("two different windows of time in one query block")
        self._call, self._name = calls[0].copy(), self._names.unique(TIME_WINDOW)
        self._environment.place(self._name)
        select = select.copy()
        for call in list(_calls(select)):
            call.replace(column(self._name))
        return select

    def over(self, node: Node) -> Node:
        """Return the input with the windows of its rows."""
        if self._call is None:
            return node
        arguments = [self._environment.resolve(e) for e in self._call.expressions]
        call = exp.Anonymous(this=TIME_WINDOW, expressions=arguments)
        return TimeWindow(node, call, self._name)


def _names_window(used: exp.Column) -> bool:
    first, *fields = used.parts
    return first.name.lower() == TIME_WINDOW and len(fields) < 2


def _parts(select: exp.Select) -> list[exp.Expr]:
    """Return the parts of a block that may read its windows, without subqueries' own."""
    found: list[exp.Expr] = []
    for clause in _CLAUSES:
        value = select.args.get(clause)
        found.extend(value if isinstance(value, list) else [value] if value is not None else [])
    return found


def _calls(select: exp.Select) -> list[exp.Expr]:
    calls: list[exp.Expr] = []
    for part in _parts(select):
        for node in part.walk(prune=lambda n: isinstance(n, exp.Query)):
            if isinstance(node, exp.Anonymous) and function_name(node) == TIME_WINDOW:
                calls.append(node)
    return calls
