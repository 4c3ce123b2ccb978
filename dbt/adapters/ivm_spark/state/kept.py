"""A state that is kept although the model's SQL has changed.

    old:  SELECT k, sum(x) AS total FROM t GROUP BY k
    new:  SELECT k AS key, sum(x) / 100 AS total FROM t WHERE x > 0 GROUP BY k HAVING sum(x) > 10

The state of the old query has the groups and sums of the new one, except for the rows that the
filter takes out. So the new query is written as the old one's core, in which an expression has
moved (`dbt.adapters.ivm_spark.delta.query_change`), with the new row-wise operators above it.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import (
    column,
    over,
    passed,
    tree_expressions,
    used_columns,
)
from dbt.adapters.ivm_spark.algebra.moved import moves
from dbt.adapters.ivm_spark.algebra.traversal import substitute
from dbt.adapters.ivm_spark.algebra.tree import Aggregate, Distinct, Item, Node, Project, UnionAll
from dbt.adapters.ivm_spark.delta.query_change import Merger
from dbt.adapters.ivm_spark.delta.query_forms import (
    Meaning,
    OtherQuery,
    bare,
    filtered_early,
    mapped,
)
from dbt.adapters.ivm_spark.state.accumulators import ARGUMENT
from dbt.adapters.ivm_spark.state.layout import Layout, core_of, depth_of
from dbt.adapters.ivm_spark.state.storage import STORED


@dataclass(frozen=True)
class KeptState:
    """The new query over the state of the old one.

    Attributes:
        root: the new query's tree. Its stored part is the old query's, with moved expressions.
        above: how many operators are above the stored part.
        natural: the state's columns are those that the new query's own state would have, as far as
            the trees tell.
        types: Spark types of the columns of its probe.
        same_types: see `Merger`.
        edited: rows of the state change; otherwise only the view over it does.
    """

    root: Node
    above: int
    natural: bool
    types: dict[str, str]
    same_types: tuple[tuple[Node, Node], ...]
    edited: bool


def kept_state(
    old: Node, above: int | None, old_types: dict[str, str], new: Node, new_types: dict[str, str]
) -> KeptState:
    """Return the new query over the state of the old one.

    Args:
        old: the tree that the state was built from.
        above: how many operators are above its stored part, None if `core_of` finds it.
        old_types: Spark types of the columns of its probe, as `layout` takes them.
        new: the new tree.
        new_types: Spark types of the columns of its probe.

    Raises OtherQuery if the state does not hold what the new query needs.
    """
    if any(name.startswith(STORED) for name in (*old_types, *new_types)):
        raise OtherQuery("intervals, which the state stores as numbers")
    core, wanted = core_of(old, above), core_of(new)
    merger = Merger.of(old, new)
    merged, values = _merged_cores(merger, filtered_early(core), filtered_early(wanted))
    types = dict(old_types)
    for name in wanted.columns:
        value = values[name]
        if not isinstance(value, exp.Column):
            if any("float" in t or "double" in t for t in map(types.get, used_columns(value)) if t):
                # Zeros of both signs are equal as rows, and need not be in an expression.
                raise OtherQuery(f"an expression over floats, {name}")
            continue
        for before, now in ((value.name, name), (ARGUMENT + value.name, ARGUMENT + name)):
            if value.name not in core.columns and now in new_types:
                types[before] = new_types[now]
            elif new_types.get(now) != types.get(before):
                raise OtherQuery(f"another type of {name}")
    edited = any(map(moves, tree_expressions(merged)))
    alike = all(isinstance(v, exp.Column) and v.name == name for name, v in values.items())
    natural = alike and merged.columns == wanted.columns
    depth = depth_of(new, wanted)
    if natural:
        root = substitute(new, wanted, merged)
    else:
        top = Project(merged, tuple(Item(name, values[name]) for name in wanted.columns))
        root, depth = substitute(new, wanted, top), depth + 1
    return KeptState(root, depth, natural, types, tuple(merger.same_types), edited)


def check_fits(before: Layout, now: Layout) -> None:
    """Raise OtherQuery unless a state of one layout is one of the other, row by row."""
    if (before.style, before.appended) != (now.style, now.appended):
        raise OtherQuery("rows that are stored in another way")
    missing = [name for name in now.columns if name not in before.columns]
    if missing:
        raise OtherQuery("values that the state does not have")
    kinds = {a.name: (a.kind, a.type_name, a.counter) for a in before.accumulators}
    if now.columns != before.columns or kinds != {
        a.name: (a.kind, a.type_name, a.counter) for a in now.accumulators
    }:
        raise OtherQuery("columns that are stored in another way")


def _merged_cores(merger: Merger, old: Node, new: Node) -> tuple[Node, dict[str, exp.Expr]]:
    """Return two stored parts as one, and each new column over its columns."""
    if isinstance(old, Aggregate) and isinstance(new, Aggregate):
        merged = merger.aggregate(old, new)
    elif isinstance(old, Distinct) and isinstance(new, Distinct):
        merged = merger.distinct(old, new)
    elif isinstance(old, (Aggregate, Distinct)) or isinstance(new, (Aggregate, Distinct)):
        raise OtherQuery("rows that are grouped in another way")
    else:
        return _merged_rows(merger, old, new)
    return merged.node, {name: column(c) for name, c in merged.names.items()}


def _merged_rows(merger: Merger, old: Node, new: Node) -> tuple[Node, dict[str, exp.Expr]]:
    """Return two trees that are stored row by row as one, and each new column over its columns.

    A new column over columns that are stored is computed by the view. The stored rows change if
    one of them stands for another value now.
    """
    if any(isinstance(bare(tree), UnionAll) for tree in (old, new)):
        merged = merger.exact(old, new)
        return merged.node, {name: column(c) for name, c in merged.names.items()}
    above = old if isinstance(old, Project) else Project(old, passed(old.columns))
    below = new if isinstance(new, Project) else Project(new, passed(new.columns))
    rows = merger.merge(above.input, below.input)
    meaning = Meaning(rows.node)
    stored = {meaning.of(i.expression): i.name for i in reversed(above.items)}
    plain = {
        i.expression.name: column(i.name)
        for i in reversed(above.items)
        if isinstance(i.expression, exp.Column)
    }
    values, missing = dict[str, exp.Expr](), dict[str, exp.Expr]()
    for item in below.items:
        value = mapped(item.expression, rows.names)
        if meaning.of(value) in stored:
            values[item.name] = column(stored[meaning.of(value)])
        elif used_columns(value) <= plain.keys():
            values[item.name] = over(value, plain)
        else:
            missing[item.name] = value
    items = list(above.items)
    used = used_columns(*values.values())
    for name, value in missing.items():
        former = next((i for i in items if i.name == name and name not in used), None)
        if former is None:
            raise OtherQuery(f"a column {name}, which the state does not have")
        items[items.index(former)] = merger.edited(rows.node, former, value)
        values[name] = column(name)
    return Project(rows.node, tuple(items)), values
