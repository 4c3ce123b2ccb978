"""The state of a view: which part of its tree is stored, under which columns, and the view on it.

The stored part, the core, is the highest GROUP BY or DISTINCT with only row-wise operators, ORDER
BY and LIMIT above it. These are applied when the view is read. A tree without such a core is stored
row by row, each row with a number of copies. Equal rows may be stored as one row or as several.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import passed, repeated
from dbt.adapters.ivm_spark.algebra.traversal import substitute
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    Distinct,
    Filter,
    Item,
    Limit,
    Node,
    Project,
    Scan,
    Sort,
)
from dbt.adapters.ivm_spark.algebra.types import check_comparable
from dbt.adapters.ivm_spark.state.accumulators import (
    ARGUMENT,
    COUNT,
    Accumulator,
    Accumulators,
    Kind,
    typed_argument,
)
from dbt.adapters.ivm_spark.state.storage import (
    STORED,
    check_stored,
    shown,
    storable,
    stored_items,
)
from dbt.adapters.ivm_spark.state.summed import is_additive, summed

WHOLE = "__ivm_key"
STATE = "state"


class Style(str, Enum):
    """What one row of the state stands for."""

    ROWS = "rows"
    DISTINCT = "distinct"
    GROUPS = "groups"


@dataclass(frozen=True)
class Layout:
    """The columns of a state.

    Attributes:
        style: what one row of the state stands for.
        input: the relation whose delta changes the state.
        keys: (state column, expression over `input`). They identify a row, and are matched
            null-safe. If rows are stored row by row, several may have one identity, and their
            copies add up.
        accumulators: the other columns besides `__ivm_count`.
        top: the view's tree over a scan of the state, with the query's outputs.
        appended: changes are added as rows, and the view adds up a key's rows.
    """

    style: Style
    input: Node
    keys: tuple[Item, ...]
    accumulators: tuple[Accumulator, ...]
    top: Node
    appended: bool = False

    @property
    def whole(self) -> bool:
        """Return whether it is an aggregate without GROUP BY, which always has one row."""
        return self.style is Style.GROUPS and not self.keys

    @property
    def scattered(self) -> bool:
        """Return whether rows are matched by all their columns, so that equal rows lie anywhere."""
        return self.style is not Style.GROUPS

    @property
    def identity(self) -> tuple[str, ...]:
        """Return the columns by which a row of the state is matched."""
        return (WHOLE,) if self.whole else tuple(k.name for k in self.keys)

    @property
    def columns(self) -> tuple[str, ...]:
        """Return all columns of the state, in order."""
        return (*self.identity, *(a.name for a in self.accumulators), COUNT)

    @property
    def recomputes(self) -> bool:
        """Return whether a change needs the rows of its group again."""
        return any(a.kind is Kind.RECOMPUTED for a in self.accumulators)


def core_of(root: Node, above: int | None = None) -> Node:
    """Return the part of a tree that its state stores.

    above: how many operators are above it, if that is known. A state that was kept for another
    query stores what that query would.
    """
    node = root
    for _ in range(above or 0):
        assert isinstance(node, (Project, Filter, Sort, Limit))
        node = node.input
    if above is not None:
        return node
    stored = root
    while True:
        if isinstance(node, (Aggregate, Distinct)):
            return node
        if isinstance(node, (Sort, Limit)):
            node = stored = node.input
        elif isinstance(node, (Project, Filter)):
            node = node.input
        else:
            return stored


def depth_of(root: Node, core: Node) -> int:
    """Return how many operators of a tree are above its stored part."""
    node, depth = root, 0
    while node is not core:
        assert isinstance(node, (Project, Filter, Sort, Limit))
        node, depth = node.input, depth + 1
    return depth


def below_state(root: Node) -> Node:
    """Return the part of a tree whose change is derived: what is below the stored groups."""
    core = core_of(root)
    return core.input if isinstance(core, (Aggregate, Distinct)) else core


def probe(root: Node) -> Node:
    """Return a tree whose column types `layout` needs; it is to be described, not run."""
    core = core_of(root)
    if not isinstance(core, Aggregate):
        return core
    arguments = []
    for item in core.aggregates:
        argument = typed_argument(item)
        if argument is not None:
            arguments.append(Item(ARGUMENT + item.name, exp.AnyValue(this=argument)))
    return Aggregate(core.input, core.keys, (*core.aggregates, *arguments))


def stored_types(root: Node, types: dict[str, str]) -> dict[str, str]:
    """Return the types of the columns of `probe(root)`, and those of columns stored in other forms.

    Raises NotMaintained as `layout` does.
    """
    return storable(root, core_of(root), types)[1]


def layout(
    root: Node, types: dict[str, str], state: str, append: bool = False, above: int | None = None
) -> Layout:
    """Return the layout of a view's state.

    Raises NotMaintained if rows cannot be matched (MAP, collations).

    Args:
        root: the view tree.
        types: Spark type of every column of `probe(root)`.
        state: quoted name of the state table.
        append: changes are to be appended; they are only if every value is the sum of its changes.
        above: see `core_of`; if it is given, no column is stored in another form.
    """
    if above is None:
        root, types = storable(root, core_of(root), types)
    core = core_of(root, above)
    if isinstance(core, Aggregate):
        return _groups(root, core, types, state, append)
    for name in core.columns:
        check_comparable(name, types[name])
    if isinstance(core, Distinct):
        return _different_rows(root, core, types, state, append)
    items = stored_items(core.columns, types)
    names = tuple(item.name for item in items)
    _check_all_stored(names, types)
    counted = Scan(state, STATE, (*((n, n) for n in names), (COUNT, COUNT)))
    rows, stored = core, repeated(counted, COUNT, names)
    if names != core.columns:
        rows, stored = Project(core, items), shown(stored, core.columns, types)
    return Layout(Style.ROWS, rows, passed(names), (), substitute(root, core, stored))


def _different_rows(
    root: Node, core: Distinct, types: dict[str, str], state: str, append: bool
) -> Layout:
    _check_all_stored(core.columns, types)
    keys = passed(core.columns)
    fields = tuple((c, c) for c in core.columns)
    stored: Node = Scan(state, STATE, fields)
    if append:
        counted = Scan(state, STATE, (*fields, (COUNT, COUNT)))
        stored = Project(summed(counted, core.columns, ()), keys)
    top = substitute(root, core, stored)
    return Layout(Style.DISTINCT, core.input, keys, (), top, append)


def _check_all_stored(names: Iterable[str], types: dict[str, str]) -> None:
    """Raise NotMaintained for a column of the state that Delta might not store.

    A column in a form of its own is always stored.
    """
    for name in names:
        if not name.startswith(STORED):
            check_stored(name, types[name])


def _groups(root: Node, core: Aggregate, types: dict[str, str], state: str, append: bool) -> Layout:
    for key in core.keys:
        check_comparable(key.name, types[key.name])
    accumulators = Accumulators(types)
    values = [Item(item.name, accumulators.keep(item)) for item in core.aggregates]
    _check_all_stored((key.name for key in core.keys), types)
    for accumulator in accumulators.all:
        check_stored(accumulator.name, accumulator.type_name)
    names = [k.name for k in core.keys] + [a.name for a in accumulators.all] + [COUNT]
    groups: Node = Scan(state, STATE, tuple((n, n) for n in names))
    appended = append and is_additive(accumulators.all)
    if appended:
        groups = summed(groups, tuple(k.name for k in core.keys), accumulators.all)
    stored = Project(groups, (*passed(k.name for k in core.keys), *values))
    top = substitute(root, core, stored)
    return Layout(Style.GROUPS, core.input, core.keys, accumulators.all, top, appended)
