"""An explanation as text, for people at a terminal of 120 columns. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dbt.adapters.ivm_spark.algebra.reasons import Reason
from dbt.adapters.ivm_spark.commands.explain.explanation import IVM, Explanation, SourceState
from dbt.adapters.ivm_spark.commands.explain.operators import Operator
from dbt.adapters.ivm_spark.plan.plan import RefreshKind

WIDTH = 120
_TREE = 64
"""Columns of the tree; a longer line, up to `_LONGEST`, moves the text beside it to the right."""
_LONGEST = 96
_STATE = " [state]"
_PLANS = "Spark's plans, as far as they differ"


def as_text(told: Explanation, sql: bool) -> str:
    """Return the explanation, with the statements if `sql` is true."""
    sections = [
        ("", list(_head(told))),
        ("Next run", list(_next(told))),
        (_PLANS, [_cut(line, WIDTH - 2) for line in told.plan_difference]),
        ("Operators", list(_tree(told))),
        ("Clock", list(_clock(told))),
        (f"State  {told.state}", list(_state(told))),
        ("Sources", list(_sources(told.sources))),
    ]
    if sql:
        sections += [(name, text.strip().splitlines()) for name, text in told.statements]
    blocks = []
    for title, lines in sections:
        if lines:
            indented = [f"  {line}".rstrip() for line in lines] if title else lines
            blocks.append("\n".join([title, *indented] if title else indented))
    return "\n\n".join(blocks)


def _head(told: Explanation) -> Iterator[str]:
    how = f"maintained incrementally, {told.technique}" if told.maintained else "refreshed in full"
    yield f"{told.model}: {how}"
    if told.reason is not None:
        yield from _because(told.reason)
    if told.materialized != IVM:
        yield f"  It is materialized as {told.materialized}; this explains it as an ivm model."


def _because(reason: Reason) -> Iterator[str]:
    detail = f" ({reason.detail})" if reason.detail else ""
    yield f"  {reason.code.value}: {reason.code.sentence}{detail}"
    yield f"  {reason.code.remedy}"


def _next(told: Explanation) -> Iterator[str]:
    plan = told.plan
    if told.refused:
        yield f"an error: {told.refused}"
        return
    if plan.kind is RefreshKind.NONE:
        moved = "no source has changed" + (", and the clock has not moved" if told.clock else "")
        yield f"nothing to do: {moved}"
    elif plan.kind is RefreshKind.INITIAL:
        yield "initial: the view is built for the first time"
    elif plan.kind is RefreshKind.FULL:
        yield "full"
    else:
        yield f"incremental, by {plan.technique.value}"
    if plan.query_change is not None:
        changes = plan.query_change["changes"]
        becomes = {
            "kept": "the state is kept; what changes",
            "reused": "a part of the new query is read from the state; what differs",
        }[plan.query_change["state"]]
        yield f"the SQL has changed, and {becomes}: {changes}"
    if plan.reason is not None and not _is_told(told, plan.reason):
        yield from (line.strip() for line in _because(plan.reason))
    elif plan.warning:
        yield f"warning: {plan.warning}"
    for step in plan.alteration.steps:
        yield f"alters the state table: {step}"
    thought = plan.estimates
    if thought is not None and told.technique is None:
        yield f"estimated {thought.full:.1f} s"
    elif thought is not None:
        yield f"estimated {thought.incremental:.1f} s incrementally, {thought.full:.1f} s in full"
    elif plan.kind is RefreshKind.INCREMENTAL:
        yield "no estimate until a rebuild has been timed"
    yield f"refresh_policy {told.policy.value}"


def _is_told(told: Explanation, reason: Reason) -> bool:
    """Return whether the heading already states the reason."""
    return told.reason is not None and told.reason.code is reason.code


def _tree(told: Explanation) -> Iterator[str]:
    if told.tree is None:
        return
    lines = list(_lines(told.tree, "", ""))
    width = max((len(left) for left, _ in lines if len(left) <= _TREE), default=0)
    steps = max(len(operator.technique) for _, operator in lines)
    for left, operator in lines:
        how = operator.how
        if operator.reason is not None:
            how = f"{operator.reason.code.value}: {operator.reason.detail}"
        yield f"{left:{width}}  {operator.technique:{steps}}  {how}"


def _lines(operator: Operator, first: str, rest: str) -> Iterator[tuple[str, Operator]]:
    mark = _STATE if operator.stored else ""
    says = f" {operator.says}" if operator.says else ""
    yield f"{_cut(f'{first}{operator.operator}{says}', _LONGEST - len(mark))}{mark}", operator
    for number, below in enumerate(operator.inputs, start=1):
        last = number == len(operator.inputs)
        yield from _lines(
            below, rest + ("└─ " if last else "├─ "), rest + ("   " if last else "│  ")
        )


def _state(told: Explanation) -> Iterator[str]:
    if told.recorded is not None:
        yield f"refresh {told.recorded.refresh}"
    else:
        yield "not built yet"
    if told.frozen:
        yield f"rows that no refresh touches: {told.frozen}"
    if told.build_by:
        yield f"built by ranges of {told.build_by}"
    if told.unfinished is not None:
        yield f"unfinished build: {told.unfinished.done} of {told.unfinished.parts} parts"
    if told.key:
        yield f"matched by {', '.join(told.key)}"
    rows = [(c.name, c.type_name, c.role, c.holds) for c in told.columns]
    yield from _table(("column", "type", "role", "holds"), rows)


def _clock(told: Explanation) -> Iterator[str]:
    if told.clock:
        yield from _table(("constant", "recorded", "now"), told.clock)


def _sources(sources: Sequence[SourceState]) -> Iterator[str]:
    if not sources:
        return
    rows = []
    for source in sources:
        changed = ""
        if source.changed_rows is not None:
            changed = "none" if source.effect == "nothing" else f"{source.changed_rows} rows"
        feed = "on" if source.feed else "OFF"
        feed = "files" if source.files else "snapshots" if source.snapshots else feed
        recorded = "" if source.recorded is None or source.files else str(source.recorded)
        rows.append(
            (
                source.name,
                feed,
                recorded,
                "" if source.files else str(source.newest),
                changed + (f", {source.broken.code.value}" if source.broken is not None else ""),
            )
        )
    yield from _table(("source", "change feed", "recorded", "newest", "changed since"), rows)


def _table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(row[n]) for row in (names, *rows)) for n in range(len(names))]
    for row in (names, *rows):
        cells = [f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)]
        yield _cut("  ".join(cells).rstrip(), WIDTH)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
