"""The net effect of a change log, as Oracle's fast refresh takes it.

The refresh asks for it before it joins anything with a change. It asks whether updates leave all
columns that a view reads unchanged. It also asks what is left of the change of a table whose rows
were all replaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, passed, repeated
from dbt.adapters.ivm_spark.algebra.dialect import union_all
from dbt.adapters.ivm_spark.algebra.traversal import walk
from dbt.adapters.ivm_spark.algebra.tree import WEIGHT, At, Item, Limit, Node, Project, Scan
from dbt.adapters.ivm_spark.algebra.types import TEXT, cast_as, float_texts, is_float
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts
from dbt.adapters.ivm_spark.delta.bags import netted
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import Binding

_COPIES = "__ivm_copies"


def net_changes(
    root: Node, names: Iterable[str], sources: Mapping[str, SourceFacts]
) -> dict[str, Node]:
    """Return the net change of each of these sources in the columns that a tree reads.

    A source is left out if the tree reads all of its columns, because its updates then matter. It
    is also left out if a column's values cannot be told apart with certainty.

    Args:
        root: the view's tree.
        names: quoted names of sources.
        sources: facts of all sources, by quoted name.
    """
    found: dict[str, Node] = {}
    for name in names:
        scans = [n for n in walk(root) if isinstance(n, Scan) and n.relation == name]
        columns = sorted({column for scan in scans for _, column in scan.fields})
        facts = sources[name]
        if columns and len(columns) < len(facts.types) and facts.tells_apart(columns):
            fields = tuple((c, c) for c in columns)
            found[name] = netted(Scan(name, "source", fields, At.CHANGES))
    return found


def net_weights(name: str, columns: Sequence[tuple[str, str]]) -> Node:
    """Return the net change of a source in some of its columns: each distinct row with its weight.

    Args:
        name: quoted.
        columns: (name, Spark type) of these columns, see `can_be_netted`.
    """
    fields = tuple((column, column) for column, _ in columns)
    floats = float_texts(columns)
    plain = passed(name for name, _ in columns if name not in floats)
    scan = Project(
        Scan(name, "source", fields, At.CHANGES), (*plain, *floats.values(), *passed((WEIGHT,)))
    )
    own = (
        Item(name, cast_as(column(floats[name].name), kind))
        if name in floats
        else Item(name, column(name))
        for name, kind in columns
    )
    return Project(netted(scan), (*own, *passed((WEIGHT,))))


def net_rows(name: str, columns: Sequence[tuple[str, str]]) -> Node:
    """Return the net change of a source as rows of weight 1 or -1, as often as they count.

    Args: as for `net_weights`.
    """
    every = tuple(column for column, _ in columns)
    copies = exp.Anonymous(this="abs", expressions=[column(WEIGHT)])
    sign = exp.cast(exp.Anonymous(this="sign", expressions=[column(WEIGHT)]), "int")
    items = (*passed(every), Item(_COPIES, copies), Item(WEIGHT, sign))
    changed = Project(net_weights(name, columns), items)
    return repeated(changed, _COPIES, (*every, WEIGHT))


def can_be_netted(columns: Sequence[tuple[str, str]]) -> bool:
    """Return whether GROUP BY can tell rows with these columns apart.

    Floats are compared by their text.

    Args:
        columns: (name, Spark type) of the rows.
    """
    exact = SourceFacts.of(0, columns)
    plain = [name for name, kind in columns if not is_float(kind)]
    names = {name.lower() for name, _ in columns}
    clashes = names & {WEIGHT, _COPIES} or any(name.startswith(TEXT) for name in names)
    return bool(columns) and not clashes and exact.tells_apart(plain)


def net_sql(changes: Sequence[Node], bind: Binding) -> exp.Query:
    """Return a query for the places of the changes that have a row, as the column number."""
    queries = []
    for number, change in enumerate(changes):
        first = render(Limit(change, exp.Literal.number(1)), bind)
        place = exp.alias_(exp.Literal.number(number), "number")
        queries.append(exp.select(place).from_(first.subquery("net")))
    return union_all(queries)
