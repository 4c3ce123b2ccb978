"""Store columns in types that Delta has, and refuse those that have no such form.

    extract(hour from max(b - a))   stores   max(cast(cast(b - a as interval second) as decimal))

An interval of days to seconds is stored as seconds with six digits after the point. An interval of
years to months is stored as months. Both numbers hold every interval exactly and in its order. So
their groups, sums and extrema are those of the intervals. The view converts them back.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, passed
from dbt.adapters.ivm_spark.algebra.expressions import function_name
from dbt.adapters.ivm_spark.algebra.reasons import not_supported
from dbt.adapters.ivm_spark.algebra.traversal import substitute
from dbt.adapters.ivm_spark.algebra.tree import Aggregate, Distinct, Item, Node, Project
from dbt.adapters.ivm_spark.state.accumulators import ARGUMENT

STORED = "__ivm_stored_"
"""The prefix of the columns that store an interval as a number."""
VOID = "void"
"""The type of a bare NULL; a Delta table cannot have such a column."""
NTZ = "timestamp_ntz"
"""A type that a table which is replaced must be told to support."""

_FIELD = re.compile(r"([<,])\s*(?:`(?:[^`]|``)*`|[^<>,:`]+)\s*:")
"""The name of a struct's field, which Spark prints as it is, with blanks."""
_PLAIN = re.compile(
    r"(?:tinyint|smallint|int|bigint|float|double|decimal\(\d+, ?\d+\)|string|binary|boolean|date"
    r"|timestamp|timestamp_ntz|variant|(?:var)?char\(\d+\)|array|map|struct|[<>,\s])*"
)
_DAY_TIME = re.compile(r"interval (day|hour|minute|second)( to (hour|minute|second))?")
_YEAR_MONTH = re.compile(r"interval (year|month)( to month)?")


@dataclass(frozen=True)
class Form:
    """How an interval is stored: as a number of its smallest unit.

    Attributes:
        visible: the interval's own Spark type.
        stored: the type of the number.
        summed: the type of a sum of such numbers.
        unit: SECOND or MONTH.
    """

    visible: str
    stored: str
    summed: str
    unit: str

    def encode(self, value: exp.Expr) -> exp.Expr:
        """Return the number of an interval."""
        return exp.cast(exp.cast(value.copy(), f"interval {self.unit}"), self.stored)

    def decode(self, number: exp.Expr) -> exp.Expr:
        """Return the interval of a number."""
        return exp.cast(exp.cast(number.copy(), f"interval {self.unit}"), self.visible)


def is_stored(type_name: str) -> bool:
    """Return whether Delta certainly stores a column of this Spark type.

    Source: Delta's protocol, "Schema Serialization Format".
    """
    return _PLAIN.fullmatch(_FIELD.sub(r"\1", type_name.lower())) is not None


def form_of(type_name: str) -> Form | None:
    """Return the form in which an interval is stored, None for any other type."""
    lowered = type_name.lower()
    if _DAY_TIME.fullmatch(lowered):
        return Form(lowered, "decimal(19,6)", "decimal(29,6)", "second")
    if _YEAR_MONTH.fullmatch(lowered):
        return Form(lowered, "int", "bigint", "month")
    return None


def check_stored(name: str, type_name: str) -> None:
    """Raise NotMaintained for a column that Delta might not store."""
    if not is_stored(type_name):
        raise not_supported(f"a column {name} of type {type_name}, which Delta can't store")


def storable(root: Node, core: Node, types: dict[str, str]) -> tuple[Node, dict[str, str]]:
    """Return a view's tree with its core in forms that Delta stores, and the types.

    The core consists of groups or distinct rows. The types include those of the numbers. A tree
    that is stored row by row stays as it is, see `stored_items`. Raises NotMaintained for an
    aggregate whose value has no such form.

    Args:
        root: the view tree.
        core: the part of it that is stored.
        types: Spark types of the columns of its probe.
    """
    if isinstance(core, Aggregate):
        return _Groups(types).of(root, core)
    items = stored_items(core.columns, types)
    forms = {i.name: form_of(types[i.name.removeprefix(STORED)]) for i in items}
    kept = {name: form.stored for name, form in forms.items() if form is not None}
    if kept and isinstance(core, Distinct):
        rows = Distinct(Project(core.input, items))
        root = substitute(root, core, shown(rows, core.columns, types))
    return root, {**types, **kept}


def stored_items(columns: tuple[str, ...], types: dict[str, str]) -> tuple[Item, ...]:
    """Return each column as it is stored: itself, or another one in a form that Delta stores."""
    items = []
    for name in columns:
        form = form_of(types[name])
        items.append(
            Item(name, column(name))
            if form is None
            else Item(STORED + name, form.encode(column(name)))
        )
    return tuple(items)


def shown(kept: Node, columns: tuple[str, ...], types: dict[str, str]) -> Node:
    """Return rows with the columns themselves, from rows with the columns as they are stored."""
    items = []
    for name in columns:
        form = form_of(types[name])
        value = column(name) if form is None else form.decode(column(STORED + name))
        items.append(Item(name, value))
    return Project(kept, tuple(items))


class _Groups:
    """The keys and aggregates of groups in forms that Delta stores, and what they stand for."""

    def __init__(self, types: dict[str, str]) -> None:
        self._types = types
        self._new: dict[str, str] = {}
        self._values: list[Item] = []

    def of(self, root: Node, core: Aggregate) -> tuple[Node, dict[str, str]]:
        keys = tuple(map(self._key, core.keys))
        aggregates = tuple(a for item in core.aggregates for a in self._aggregate(item))
        if not self._new:
            return root, self._types
        groups = Aggregate(core.input, keys, aggregates)
        values = Project(groups, tuple(self._values))
        return substitute(root, core, values), {**self._types, **self._new}

    def _key(self, key: Item) -> Item:
        form = form_of(self._types[key.name])
        if form is None:
            self._values += passed((key.name,))
            return key
        return self._stored(key.name, form.encode(key.expression), form.stored, form.decode)

    def _aggregate(self, item: Item) -> list[Item]:
        """Return what is stored of an aggregate, and add its value over that.

        An average is a sum and a count, like Spark's own (`Average`, `DivideDTInterval`,
        `DivideYMInterval`).
        """
        form = form_of(self._types[item.name])
        if form is None:
            self._values += passed((item.name,))
            return [item]
        call = item.expression.this if isinstance(item.expression, exp.Filter) else item.expression
        function, arguments = function_name(call), call.expressions
        distinct = any(isinstance(a, exp.Distinct) for a in arguments)
        if function not in ("sum", "avg", "mean", "min", "max") or len(arguments) != 1 or distinct:
            raise not_supported(f"{function}() of intervals, which Delta can't store")
        if function in ("min", "max"):
            number = self._over(item.expression, function, form)
            return [self._stored(item.name, number, form.stored, form.decode, form.stored)]
        number = self._over(item.expression, "sum", form)
        if function == "sum":
            return [self._stored(item.name, number, form.summed, form.decode, form.stored)]
        counter = f"{STORED}count_{item.name}"
        self._new[counter] = "bigint"

        def quotient(total: exp.Expr) -> exp.Expr:
            return exp.Div(this=form.decode(total), expression=column(counter))

        total = self._stored(item.name, number, form.summed, quotient, form.stored)
        return [total, Item(counter, self._over(item.expression, "count", form))]

    @staticmethod
    def _over(call: exp.Expr, function: str, form: Form) -> exp.Expr:
        """Return the call of another function over the numbers of its intervals."""
        swapped = call.copy()
        inner = swapped.this if isinstance(swapped, exp.Filter) else swapped
        inner.set("this", function)
        inner.set("expressions", [form.encode(inner.expressions[0])])
        return swapped

    def _stored(
        self,
        name: str,
        number: exp.Expr,
        type_name: str,
        value: Callable[[exp.Expr], exp.Expr],
        argument: str = "",
    ) -> Item:
        stored = STORED + name
        self._new[stored] = type_name
        if argument:
            self._new[ARGUMENT + stored] = argument
        self._values.append(Item(name, value(column(stored))))
        return Item(stored, number)
