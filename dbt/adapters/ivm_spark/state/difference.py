"""A rebuild that writes only the rows in which the new contents differ from the old ones.

    new ⊎ -old, grouped by all columns, HAVING sum(copies) <> 0

It is one MERGE. If a row has fewer copies than before, the MERGE deletes all of its copies in the
state and inserts those that are left. If it has more, the MERGE inserts the additional ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, passed, repeated
from dbt.adapters.ivm_spark.algebra.materialized import Materialized, materialized_name, temporary
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    Filter,
    Generate,
    Item,
    Node,
    Project,
    Scan,
    UnionAll,
)
from dbt.adapters.ivm_spark.algebra.types import cast_as, float_texts, have_equality
from dbt.adapters.ivm_spark.state.accumulators import COUNT
from dbt.adapters.ivm_spark.state.layout import STATE, WHOLE, Layout, Style
from dbt.adapters.ivm_spark.state.matched import of_source, of_target
from dbt.adapters.ivm_spark.state.merge import Merge
from dbt.adapters.ivm_spark.state.replace_rows import GONE, negative
from dbt.adapters.ivm_spark.state.storage import form_of
from dbt.adapters.ivm_spark.state.visible import stored_names

LOST, GAINED = "lost", "gained"
"""The columns of `Difference.counts`."""
_NET, _FOUND, _COPIES = "__ivm_net", "__ivm_found", "__ivm_copies"


@dataclass(frozen=True)
class Difference:
    """How a state becomes the new contents of its view.

    Attributes:
        new: the name that the new contents must have when the statements run.
        merge: the MERGE; it materializes one relation, the difference.
        counts: a tree with one row: the numbers of rows that the state loses and gains, in the
            columns `lost` and `gained`.
    """

    new: str
    merge: Merge
    counts: Node


def stored_types(
    layout: Layout | None, types: Mapping[str, str], outputs: tuple[tuple[str, str], ...]
) -> dict[str, str]:
    """Return the columns of a state with their Spark types.

    Args:
        layout: None for a query that is stored as it is.
        types: as for `layout`.
        outputs: (name, type) of the query's columns.
    """
    if layout is None:
        return {
            name: form.stored if (form := form_of(kind)) is not None else kind
            for name, (_, kind) in zip(stored_names(outputs), outputs, strict=True)
            if kind != "void"
        }
    own = {a.name: a.type_name for a in layout.accumulators} | {WHOLE: "int", COUNT: "bigint"}
    return {name: own.get(name) or types[name] for name in layout.columns}


def are_comparable(types: Mapping[str, str]) -> bool:
    """Return whether GROUP BY all columns of these types puts only identical rows into a group.

    Floats inside an array or a struct prevent that: they may differ in the sign of a zero.
    """
    nested_floats = any(
        "<" in kind and ("float" in kind or "double" in kind) for kind in types.values()
    )
    return bool(types) and have_equality(types) and not nested_floats


def difference(types: Mapping[str, str], counted: bool, state: str, token: str) -> Difference:
    """Return how a state becomes its new contents.

    Args:
        types: of the state's columns, which must be comparable.
        counted: `__ivm_count` says how many equal rows a row stands for.
        state: quoted name.
        token: makes the names of temporary relations unique to this refresh.
    """
    keys = tuple(name for name in types if not (counted and name == COUNT))
    floats = float_texts((name, types[name]) for name in keys)
    plain, texts = tuple(name for name in keys if name not in floats), tuple(floats.values())
    new, change = (materialized_name(name, token) for name in ("new", "difference"))
    copies = column(COUNT) if counted else exp.cast(exp.Literal.number(1), "bigint")
    none = exp.cast(exp.Literal.number(0), "bigint")
    fields = tuple((name, name) for name in types)
    minus = exp.Neg(this=copies.copy())
    both = UnionAll(
        (
            _side(temporary(new, tuple(types)), plain, texts, copies, none),
            _side(Scan(state, STATE, fields), plain, texts, minus, copies),
        )
    )
    grouped = (*plain, *(text.name for text in texts))
    sums = tuple(Item(name, exp.Sum(this=column(name))) for name in (_NET, _FOUND))
    nonzero = exp.NEQ(this=column(_NET), expression=exp.Literal.number(0))
    changed = Filter(Aggregate(both, passed(grouped), sums), nonzero)
    differing_rows = Materialized(change, changed)
    differing = differing_rows.scan
    inserted: dict[str, exp.Expr] = {name: of_source(name) for name in (*plain, COUNT)}
    for name, text in floats.items():
        inserted[name] = cast_as(of_source(text.name), types[name])
    return Difference(
        new,
        Merge(
            source=_rows(differing, grouped, counted),
            on=exp.and_(of_source(GONE), *_same(plain, floats)),
            delete_when=of_source(GONE),
            update_when=None,
            updates=(),
            insert_when=exp.Not(this=of_source(GONE)),
            inserts=tuple((name, inserted[name]) for name in types),
            materialized=(differing_rows,),
            meets=Project(
                Filter(differing, negative(_NET)), (*passed(grouped), Item(GONE, exp.true()))
            ),
        ),
        _counts(differing),
    )


def is_counted(layout: Layout | None) -> bool:
    """Return whether a row of the state stands for as many rows as its `__ivm_count` says."""
    return layout is not None and layout.style is Style.ROWS


def _side(
    rows: Node, keys: tuple[str, ...], texts: tuple[Item, ...], net: exp.Expr, found: exp.Expr
) -> Node:
    """Return rows with their floats as text, and their copies."""
    items = (*passed(keys), *texts, Item(_NET, net.copy()), Item(_FOUND, found.copy()))
    return Project(rows, items)


def _rows(differing: Node, grouped: tuple[str, ...], counted: bool) -> Node:
    """Return the rows to delete, each distinct one once, and the rows to insert."""
    left = exp.Add(this=column(_NET), expression=column(_FOUND))
    comes = exp.If(this=negative(_NET), true=left, false=column(_NET))
    one = exp.cast(exp.Literal.number(1), "bigint")
    sides = exp.Explode(this=exp.Anonymous(this="array", expressions=[exp.true(), exp.false()]))
    both = Generate(differing, sides, (GONE,))
    copies = exp.If(this=column(GONE), true=one, false=comes)
    rows = Project(both, (*passed((*grouped, GONE, _NET)), Item(_COPIES, copies)))
    some = exp.GT(this=column(_COPIES), expression=exp.Literal.number(0))
    wanted = exp.If(this=column(GONE), true=negative(_NET), false=some)
    found = Filter(rows, wanted)
    if counted:
        return Project(found, (*passed((*grouped, GONE)), Item(COUNT, column(_COPIES))))
    return repeated(found, _COPIES, (*grouped, GONE))


def _counts(differing: Node) -> Node:
    zero = exp.Literal.number(0)
    lost = exp.If(this=negative(_NET), true=exp.Neg(this=column(_NET)), false=zero)
    gained = exp.If(this=negative(_NET), true=zero.copy(), false=column(_NET))
    items = ((LOST, lost), (GAINED, gained))
    sums = (
        Item(name, exp.Coalesce(this=exp.Sum(this=value), expressions=[zero.copy()]))
        for name, value in items
    )
    return Aggregate(differing, (), tuple(sums))


def _same(keys: tuple[str, ...], floats: Mapping[str, Item]) -> list[exp.Expr]:
    """Return the conditions that a row of the state is the same as one of the source."""
    equal: list[exp.Expr] = [
        exp.NullSafeEQ(this=of_target(k), expression=of_source(k)) for k in keys
    ]
    for name, text in floats.items():
        stored = exp.cast(of_target(name), "string")
        equal.append(exp.NullSafeEQ(this=stored, expression=of_source(text.name)))
    return equal
