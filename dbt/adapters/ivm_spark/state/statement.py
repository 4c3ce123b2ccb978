"""The last step from a tree to the SQL of a refresh."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from dbt.adapters.ivm_spark.delta.few import with_few
from dbt.adapters.ivm_spark.delta.ranges import Answers, narrowed
from dbt.adapters.ivm_spark.delta.reduced import reduced
from dbt.adapters.ivm_spark.delta.shared import Kept, shared
from dbt.adapters.ivm_spark.delta.staged import staged
from dbt.adapters.ivm_spark.delta.within import SourceFacts, with_within
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
) -> tuple[tuple[Kept, ...], Node]:
    """What to compute before the statement, in order, and the delta over it; as for `merge`."""
    known, few = sources or {}, changed or {}
    rows = {name: facts.rows for name, facts in known.items()}
    smaller = reduced(staged(delta, few, rows), few, known)
    return shared(with_within(smaller, known), token)
