"""The columns of a view's state, for people and programs. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dbt.adapters.ivm_spark.commands.explain.readable import Names, names_of, text_of
from dbt.adapters.ivm_spark.state.accumulators import COUNT, Accumulator, Kind
from dbt.adapters.ivm_spark.state.layout import WHOLE, Layout, Style
from dbt.adapters.ivm_spark.state.storage import VOID, form_of
from dbt.adapters.ivm_spark.state.visible import stored_names

_HIDDEN = "__ivm_"
_COUNTED = {
    Style.ROWS: "copies of the row",
    Style.DISTINCT: "copies of the row",
    Style.GROUPS: "rows of the group",
}
_VALUE = {
    Kind.COUNT: "rows with",
    Kind.SUM: "sum of",
    Kind.MIN: "min of",
    Kind.MAX: "max of",
    Kind.XOR: "bit_xor of",
    Kind.RECOMPUTED: "recomputed:",
}


@dataclass(frozen=True)
class StateColumn:
    """A column of the state.

    Attributes:
        name: its name.
        type_name: its Spark type.
        role: `key`, `count`, `accumulator` or `value`.
        holds: what it holds, in words.
        hidden: the view has no column of that name.
    """

    name: str
    type_name: str
    role: str
    holds: str

    @property
    def hidden(self) -> bool:
        return self.name.startswith(_HIDDEN)


def state_columns(layout: Layout, types: Mapping[str, str]) -> tuple[StateColumn, ...]:
    """Return the columns of a state of this layout, in order.

    types: of the probe's columns.
    """
    names = names_of(layout.input)
    keys = {key.name: text_of(key.expression, names) for key in layout.keys}
    kept = {a.name: a for a in layout.accumulators}
    found = []
    for name in layout.columns:
        if name in keys:
            found.append(StateColumn(name, types.get(name, ""), "key", keys[name]))
        elif name in kept:
            held = _held(kept[name], names)
            found.append(StateColumn(name, kept[name].type_name, "accumulator", held))
        elif name == WHOLE:
            found.append(StateColumn(name, "int", "key", "0 in the only row"))
        elif name == COUNT:
            found.append(StateColumn(name, "bigint", "count", _COUNTED[layout.style]))
    return tuple(found)


def stored_columns(outputs: Sequence[tuple[str, str]]) -> tuple[StateColumn, ...]:
    """Return the state's columns for a query that is stored as it is."""
    return tuple(
        StateColumn(stored, form.stored if (form := form_of(kind)) else kind, "value", name)
        for stored, (name, kind) in zip(stored_names(tuple(outputs)), outputs, strict=True)
        if kind != VOID
    )


def _held(accumulator: Accumulator, names: Names) -> str:
    return f"{_VALUE[accumulator.kind]} {text_of(accumulator.argument, names)}"
