"""Counts the rows of the partitions that a change touches, if the choice hangs on it.

Window functions are computed again for all rows of a touched partition. A change of 500 rows may
touch a few partitions or all of them, which the numbers of rows don't tell. So a view's first
incremental refresh asks Spark before it is tried. Later ones expect as many for each changed row.
Rows before the first changed one of their partition count apart if they stay (`delta.near`).
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.traversal import nodes
from dbt.adapters.ivm_spark.algebra.tree import Aggregate, At, Item, Node, Scan, UnionAll, Window
from dbt.adapters.ivm_spark.delta.near import LATE, is_late
from dbt.adapters.ivm_spark.delta.touched import recomputed
from dbt.adapters.ivm_spark.plan.change import Derivation
from dbt.adapters.ivm_spark.plan.config import RefreshPolicy
from dbt.adapters.ivm_spark.plan.decide import Decision, Situation, decide
from dbt.adapters.ivm_spark.session.condition import attempted
from dbt.adapters.ivm_spark.source.reader import Query
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import Binding
from dbt.adapters.ivm_spark.watermark.cost_model import Touched

SECONDS = 0.4
"""Seconds that the question takes, if a source has few rows."""
SHARE = 0.05
"""The share of a rebuild's time that the question may take if an earlier answer is known."""
_ROWS, _EARLY = "touched_rows", "early_rows"


def counted_touched_rows(
    situation: Situation,
    decision: Decision,
    derivation: Derivation | None,
    query: Query,
    bind: Binding,
) -> Situation:
    """Return the situation with the rows of the touched partitions, if the choice hangs on them.

    Args:
        situation: all that the decision depends on.
        decision: made without the question.
        derivation: of the view's delta, None if it has none.
        query: sends a statement.
        bind: turns scans into SQL.
    """
    if derivation is None or not _hangs_on(situation, decision):
        return situation
    counts = touched_rows_query(derivation.over(decision.moved - situation.no_ops), bind)
    if counts is None:
        return situation
    rows = attempted(lambda: query(to_sql(counts, pretty=True)))
    if rows is None:
        return situation  # whatever Spark can't read shows in the refresh itself
    touched, early = (sum(int(row[name]) for row in rows) for name in (_ROWS, _EARLY))
    return replace(situation, touched=Touched(max(1, touched), early))


def touched_rows_query(delta: Node, bind: Binding) -> exp.Query | None:
    """Return a query for the numbers of rows that a view's window functions are computed for.

    It gives all of them as `touched_rows`, and as `early_rows` those that stay.

    Returns None if the delta has no window functions, or if counting would read more than one table
    for each of them: that costs as much as what it may save.

    Args:
        delta: of the view.
        bind: turns scans into SQL.
    """
    windows = [node for node in nodes(delta) if isinstance(node, Window)]
    inputs = {id(rows): rows for window in windows for rows in recomputed(window)}
    if not inputs or not all(map(_is_cheap, inputs.values())):
        return None
    counts = tuple(Aggregate(rows, (), _counts(rows)) for rows in inputs.values())
    return render(counts[0] if len(counts) == 1 else UnionAll(counts), bind)


def _hangs_on(situation: Situation, decision: Decision) -> bool:
    if situation.config.refresh_policy is not RefreshPolicy.AUTO:
        return False
    if not situation.cost_model.spread:
        return not (decision.build or situation.cost_model.tried)
    thought = decision.estimates
    if thought is None or not decision.for_cost or SHARE * thought.full < SECONDS:
        return False
    return not decide(replace(situation, touched=Touched())).build


def _counts(rows: Node) -> tuple[Item, Item]:
    early: exp.Expr = exp.Literal.number(0)
    if LATE in rows.columns:
        early = exp.CountIf(this=exp.Not(this=is_late()))
    return Item(_ROWS, exp.Count(this=exp.Star())), Item(_EARLY, early)


def _is_cheap(rows: Node) -> bool:
    """Return whether a relation reads one table, and computes no window functions itself."""
    found = list(nodes(rows))
    tables = [n for n in found if isinstance(n, Scan) and n.at is At.POST]
    return len(tables) == 1 and not any(isinstance(n, Window) for n in found)
