"""Big tables that a change meets by a key, and how much of them one key reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dbt.adapters.ivm_spark.algebra.catalog import quote
from dbt.adapters.ivm_spark.algebra.columns import column
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained
from dbt.adapters.ivm_spark.algebra.traversal import nodes
from dbt.adapters.ivm_spark.algebra.tree import At, Node, RuntimeFilter
from dbt.adapters.ivm_spark.analysis.origins import origins
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts
from dbt.adapters.ivm_spark.commands.doctor.facts import MetFacts
from dbt.adapters.ivm_spark.physical.lower import Known, optimized
from dbt.adapters.ivm_spark.plan.change import Derivation
from dbt.adapters.ivm_spark.source.reader import Query

CHANGED = 1_000
"""The changed rows of each source for which the refresh is planned."""


def met_by_key(
    derivation: Derivation, sources: Mapping[str, SourceFacts]
) -> tuple[tuple[str, str], ...]:
    """Return the tables (quoted) that a change of all sources meets, each with the key's column.

    Only tables are listed of which a refresh tries to read a part.

    Args:
        derivation: of the view's delta.
        sources: facts of all sources, by quoted name.
    """
    known = Known(dict.fromkeys(sources, CHANGED), sources)
    try:
        materialized, root = optimized(derivation.over(frozenset(sources)), known)
    except NotMaintained:
        return ()
    trees = (*(m.relation for m in materialized), root)
    return tuple(dict.fromkeys(found for tree in trees for found in _met(tree)))


def measured(query: Query, relation: str, key: str) -> MetFacts:
    """Return how many files of a Delta table one key reads on average, of how many.

    Reads the column. Any row of a file stands for the file's keys.

    Args:
        query: sends a statement.
        relation: the quoted name of the table.
        key: its column.
    """
    name = quote(key)
    (row,) = query(
        f"with files as (select _metadata.file_path as file, min({name}) as least, "
        f"max({name}) as most, any_value({name}, true) as one from {relation} group by 1) "
        "select count(distinct a.file) as files, count(b.file) / count(distinct a.file) as read "
        "from files as a left join files as b on a.one between b.least and b.most"
    )
    return MetFacts(relation, key, int(row["files"]), float(row["read"] or 0))


def _met(tree: Node) -> Iterator[tuple[str, str]]:
    for node in nodes(tree):
        if not isinstance(node, RuntimeFilter):
            continue
        for origin in origins(node.input, column(node.column)) or ():
            if origin.source_column is None:
                continue
            scan, key = origin.source_column
            if scan.at is At.POST:
                yield scan.relation, key
