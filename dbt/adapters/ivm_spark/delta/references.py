"""Joins along a foreign key: the referenced table has no term if its rows only came or went.

    lines ⋈ orders ON lines.order_id = orders.order_id, which is the key of orders

Let each changed order be new or gone, and no order have other values than before. Let orders± be
the orders of both states: one row for each key. A line has its order in the same state, because of
the foreign key. So in the old state as in the new one

    lines ⋈ orders = lines ⋈ orders±                orders± = orders_post ⊎ the deleted orders

and the delta of the join has one term, which does not read the lines:

    Δ(lines ⋈ orders) = Δlines ⋈ orders±

The same holds for a left join and for a (not) EXISTS, if the lines are the outer side. It needs all
of

1. the model declares both keys (`primary_keys`, `foreign_keys`);
2. each column of the primary key is equal to a column of another input of the join. That input has
   the column from the referring table, and the types are the same;
3. the referenced table is at most filtered and projected below the join;
4. its changed rows only came or went, by key, once they are netted in the columns that the view
   reads (`dbt.adapters.ivm_spark.plan.references` asks). So a row that came and went again counts
   as none, and so does an update of other columns.

Along a chain (lines, orders, customers), orders± may refer to customers±. Of tables that refer to
each other in a circle, one stays as it is.

Source: Quass, Gupta, Mumick, Widom, "Making views self-maintainable for data warehousing" (PDIS
1996); Larson, Zhou, "Efficient maintenance of materialized outer-join views" (ICDE 2007).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import as_they_are, column
from dbt.adapters.ivm_spark.algebra.predicates import equal_columns
from dbt.adapters.ivm_spark.algebra.traversal import below_rows, bottom_up, nodes, substitute
from dbt.adapters.ivm_spark.algebra.tree import (
    WEIGHT,
    At,
    Filter,
    Item,
    Join,
    Node,
    OuterJoin,
    Project,
    Scan,
    SemiJoin,
    UnionAll,
)
from dbt.adapters.ivm_spark.analysis.origins import origins
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts
from dbt.adapters.ivm_spark.delta.net import net_rows


@dataclass(frozen=True)
class ForeignKey:
    """A foreign key that the model declares.

    Attributes:
        relation: the quoted name of the referring table.
        columns: its columns, in lower case.
        referenced: the quoted name of the referenced table.
        keys: the columns of its primary key, in lower case, in the order of `columns`.
    """

    relation: str
    columns: tuple[str, ...]
    referenced: str
    keys: tuple[str, ...]


@dataclass(frozen=True)
class Lasting:
    """The referenced tables whose changed rows only came or went.

    Attributes:
        foreign_keys: those along which their joins have no term for them.
        lost: the quoted names of those tables that lost rows.
    """

    foreign_keys: tuple[ForeignKey, ...] = ()
    lost: frozenset[str] = frozenset()


def joined_along(
    root: Node, foreign_keys: Collection[ForeignKey], sources: Mapping[str, SourceFacts]
) -> frozenset[ForeignKey]:
    """Return the foreign keys along which a tree joins tables.

    Args:
        root: the view's tree.
        foreign_keys: those that the model declares.
        sources: facts of all sources, by quoted name.
    """
    if not foreign_keys:
        return frozenset()
    return frozenset(
        found.key for node in nodes(root) for found in _joins(node, foreign_keys, sources)
    )


def with_every_row(
    root: Node, foreign_keys: Collection[ForeignKey], sources: Mapping[str, SourceFacts]
) -> Node:
    """Return the tree with scans at `At.EVER` for the tables that are joined along these keys.

    It gives the same rows, of the new as of the old state.

    Args:
        root: the view's tree.
        foreign_keys: of referenced tables whose changed rows only came or went.
        sources: facts of all sources, by quoted name.
    """
    if not foreign_keys:
        return root

    def replaced(node: Node) -> Node:
        for found in _anchored(list(_joins(node, foreign_keys, sources))):
            inputs = _inputs(node)
            scan = below_rows(inputs[found.place])
            assert isinstance(scan, Scan)
            inputs[found.place] = substitute(inputs[found.place], scan, replace(scan, at=At.EVER))
            node = _with_inputs(node, inputs)
        return node

    return bottom_up(root, replaced)


def resolved(delta: Node, lost: Set[str], sources: Mapping[str, SourceFacts]) -> Node:
    """Return a delta whose scans at `At.EVER` read the new rows and, if there are any, the deleted.

    Args:
        delta: of a tree that `with_every_row` returned.
        lost: the quoted names of the sources that lost rows.
        sources: facts of all sources, by quoted name.
    """

    def read(node: Node) -> Node:
        if not (isinstance(node, Scan) and node.at is At.EVER):
            return node
        now = replace(node, at=At.POST)
        if node.relation not in lost:
            return now
        fields = sources[node.relation].typed(field for _, field in node.fields)
        is_lost = exp.LT(this=column(WEIGHT), expression=exp.Literal.number(0))
        lost_rows = Filter(net_rows(node.relation, fields), is_lost)
        names = tuple(Item(name, column(field.lower())) for name, field in node.fields)
        return UnionAll((now, Project(lost_rows, names)), widens=False)

    return bottom_up(delta, read)


@dataclass(frozen=True)
class _Along:
    """A join along a foreign key.

    Attributes:
        key: the foreign key.
        place: the place of the referenced table among the join's inputs.
        anchor: the place of the input that refers to it.
    """

    key: ForeignKey
    place: int
    anchor: int


def _anchored(found: Sequence[_Along]) -> Iterator[_Along]:
    """Yield joins of different tables along keys that do not lead back to the same table."""
    taken: dict[int, int] = {}
    for along in found:
        place: int | None = along.anchor
        while place is not None and place != along.place:
            place = taken.get(place)
        if along.place not in taken and place is None:
            taken[along.place] = along.anchor
            yield along


def _joins(
    node: Node, foreign_keys: Iterable[ForeignKey], sources: Mapping[str, SourceFacts]
) -> Iterator[_Along]:
    inputs = _inputs(node)
    if not inputs:
        return
    assert isinstance(node, (Join, OuterJoin, SemiJoin))
    referring = _referring(node)
    for place, below in enumerate(inputs):
        scan = below_rows(below)
        if not isinstance(scan, Scan) or scan.at is not At.POST:
            continue
        own = _columns_of(below, scan)
        for key in foreign_keys:
            if key.referenced != scan.relation:
                continue
            for anchor in referring:
                if anchor == place:
                    continue
                found = equal_columns(node.predicates, below, inputs[anchor])
                equal = [
                    (own.get(mine), theirs) for mine, theirs, null_safe in found if not null_safe
                ]
                if _refers(inputs[anchor], key, equal, sources):
                    yield _Along(key, place, anchor)


def _refers(
    referring: Node,
    key: ForeignKey,
    equal: Sequence[tuple[str | None, str]],
    sources: Mapping[str, SourceFacts],
) -> bool:
    """Return whether an input has the columns of a foreign key, equal to those of the primary key.

    Args:
        referring: the input.
        key: the foreign key.
        equal: (column of the referenced table, column of the input) of each equality. The first is
            None for a value that is no column of that table.
        sources: facts of all sources, by quoted name.
    """
    scans: set[int] | None = None
    for name, of_key in zip(key.columns, key.keys, strict=True):
        theirs = sources[key.relation].types.get(name)
        if theirs is None or theirs != sources[key.referenced].types.get(of_key):
            return False
        columns = [column for own, column in equal if own == of_key]
        found = {id(s) for c in columns for s in _scans_of(referring, c, key.relation, name)}
        scans = found if scans is None else scans & found
    return bool(scans)


def _scans_of(node: Node, name: str, relation: str, field: str) -> Iterator[Scan]:
    """Yield the scan of a relation from whose column a relation's column comes, if it is that."""
    found = origins(node, column(name))
    if found is None or len(found) != 1 or found[0].source_column is None:
        return
    scan, own = found[0].source_column
    if scan.relation == relation and own.lower() == field:
        yield scan


def _inputs(node: Node) -> list[Node]:
    """Return the inputs of a join, none for another node."""
    if isinstance(node, Join):
        return list(node.inputs)
    if isinstance(node, OuterJoin):
        return [node.left, node.right]
    if isinstance(node, SemiJoin):
        return [node.input, node.among]
    return []


def _with_inputs(node: Node, inputs: Sequence[Node]) -> Node:
    if isinstance(node, Join):
        return replace(node, inputs=tuple(inputs))
    if isinstance(node, OuterJoin):
        return replace(node, left=inputs[0], right=inputs[1])
    assert isinstance(node, SemiJoin)
    return replace(node, input=inputs[0], among=inputs[1])


def _referring(node: Node) -> Collection[int]:
    """Return the places of the inputs all of whose rows the join looks for partners of."""
    if isinstance(node, OuterJoin):
        return {"LEFT": (0,), "RIGHT": (1,)}.get(node.side, ())
    return range(len(_inputs(node))) if isinstance(node, Join) else (0,)


def _columns_of(node: Node, scan: Scan) -> dict[str, str]:
    """Return the columns of a source, in lower case, by their names above it."""
    if node is scan:
        return {name: field.lower() for name, field in scan.fields}
    assert isinstance(node, (Filter, Project))
    below = _columns_of(node.input, scan)
    if isinstance(node, Filter):
        return below
    return {
        name: below[theirs] for name, theirs in as_they_are(node.items).items() if theirs in below
    }
