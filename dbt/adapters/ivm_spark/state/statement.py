"""The last step from a tree to the SQL of a refresh."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from dbt.adapters.ivm_spark.delta.facts import SourceFacts, rows_of
from dbt.adapters.ivm_spark.physical.deferred import deferred
from dbt.adapters.ivm_spark.physical.few import with_few, with_kept
from dbt.adapters.ivm_spark.physical.ranges import Answers, narrowed
from dbt.adapters.ivm_spark.physical.reduced import reduced
from dbt.adapters.ivm_spark.physical.restricted import restricted
from dbt.adapters.ivm_spark.physical.shared import Kept, shared
from dbt.adapters.ivm_spark.physical.staged import staged
from dbt.adapters.ivm_spark.physical.within import with_within
from dbt.adapters.ivm_spark.view.bound import Binding
from dbt.adapters.ivm_spark.view.render import render
from dbt.adapters.ivm_spark.view.tree import Node


def statement(
    node: Node, bind: Binding, changed: Mapping[str, int] | None, answers: Answers | None
) -> exp.Query:
    """The SQL of a part of a refresh, narrowed to the keys that the answers name, with what is
    certainly small broadcast; changed, answers: see `merge`."""
    return render(with_few(narrowed(node, answers or {}), changed or {}), bind)


def prepared(
    delta: Node,
    changed: Mapping[str, int] | None,
    sources: Mapping[str, SourceFacts] | None,
    token: str,
) -> tuple[tuple[Kept, ...], Node, Mapping[str, int]]:
    """What to compute before the statement, in order, the delta over it, and the most rows that
    changed or are kept; as for `merge`."""
    known, few = sources or {}, changed or {}
    rows = rows_of(known)
    least = deferred(restricted(delta, known), rows)
    smaller = reduced(staged(least, few, rows), few, known)
    kept, relation = shared(with_within(smaller, known), token)
    return kept, relation, with_kept(few, kept)
