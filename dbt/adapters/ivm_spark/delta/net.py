"""Changes of a source that come to nothing for a view: updates of columns that it does not read.

The net effect of a change log, as Oracle's fast refresh takes it, over the columns of one view. It
is asked for before anything is joined with the change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlglot import exp

from dbt.adapters.ivm_spark.delta.bags import netted
from dbt.adapters.ivm_spark.delta.facts import SourceFacts
from dbt.adapters.ivm_spark.view.bound import Binding
from dbt.adapters.ivm_spark.view.render import render
from dbt.adapters.ivm_spark.view.tree import At, Limit, Node, Scan
from dbt.adapters.ivm_spark.view.walk import walk


def net_changes(
    root: Node, names: Iterable[str], sources: Mapping[str, SourceFacts]
) -> dict[str, Node]:
    """The net change of each of these sources in the columns that a tree reads.

    Left out are sources of which it reads all columns, so that what is updated matters, and those
    with columns whose values can't be told apart for certain. sources: by quoted name.
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


def net_sql(changes: Sequence[Node], bind: Binding) -> exp.Query:
    """A query with the column number: the place of each change that has a row."""
    queries = []
    for number, change in enumerate(changes):
        first = render(Limit(change, exp.Literal.number(1)), bind)
        place = exp.alias_(exp.Literal.number(number), "number")
        queries.append(exp.select(place).from_(first.subquery("net")))
    return queries[0] if len(queries) == 1 else exp.union(*queries, distinct=False)
