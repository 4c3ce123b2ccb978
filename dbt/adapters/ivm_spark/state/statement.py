"""The last step from a tree to the SQL of a refresh."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.tree import Node
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts, rows_of
from dbt.adapters.ivm_spark.physical.broadcast import with_broadcasts, with_materialized
from dbt.adapters.ivm_spark.physical.common_subplans import Materialized, share_common_subplans
from dbt.adapters.ivm_spark.physical.expensive_predicates import defer_expensive_predicates
from dbt.adapters.ivm_spark.physical.magic_sets import push_magic_sets
from dbt.adapters.ivm_spark.physical.materialize import materialize_before_big_tables
from dbt.adapters.ivm_spark.physical.runtime_filters import Answers, narrowed, with_runtime_filters
from dbt.adapters.ivm_spark.physical.semijoin_reduction import reduce_partners
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import Binding


def statement(
    node: Node, bind: Binding, changed: Mapping[str, int] | None, answers: Answers | None
) -> exp.Query:
    """The SQL of a part of a refresh, narrowed to the keys that the answers name, with what is
    certainly small broadcast; changed, answers: see `merge`."""
    return render(with_broadcasts(narrowed(node, answers or {}), changed or {}), bind)


def prepared(
    delta: Node,
    changed: Mapping[str, int] | None,
    sources: Mapping[str, SourceFacts] | None,
    token: str,
) -> tuple[tuple[Materialized, ...], Node, Mapping[str, int]]:
    """What to compute before the statement, in order, the delta over it, and the most rows that
    changed or are kept; as for `merge`."""
    known, few = sources or {}, changed or {}
    rows = rows_of(known)
    least = defer_expensive_predicates(push_magic_sets(delta, known), rows)
    smaller = reduce_partners(materialize_before_big_tables(least, few, rows), few, known)
    kept, relation = share_common_subplans(with_runtime_filters(smaller, known), token)
    return kept, relation, with_materialized(few, kept)
