"""The doctor's findings as text, for people at a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from textwrap import wrap

from dbt.adapters.ivm_spark.commands.doctor.facts import (
    Finding,
    KeyFacts,
    ModelFacts,
    Severity,
    SourceFacts,
    StateFacts,
)
from dbt.adapters.ivm_spark.commands.doctor.rules import examined
from dbt.adapters.ivm_spark.commands.spoken import bare, duration, number, size

WIDTH = 96
_KINDS = {
    "none": "nothing to do",
    "initial": "first build",
    "full": "full",
    "incremental": "incremental",
}


def as_text(models: Sequence[ModelFacts]) -> str:
    """Return a block for each model and a line on all of them; a remedy is never wrapped."""
    if not models:
        return "This project has no ivm models."
    found = [(facts, examined(facts)) for facts in models]
    counts = Counter(finding.severity for _, findings in found for finding in findings)
    parts = [number(counts[s], s.value) for s in (Severity.ERROR, Severity.WARNING)]
    total = f"{number(len(models), 'model')}, {', '.join(parts)}, {counts[Severity.INFO]} info"
    return "\n".join([line for facts, given in found for line in _model(facts, given)] + [total])


def _model(facts: ModelFacts, findings: Sequence[Finding]) -> Iterator[str]:
    yield bare(facts.view)
    if facts.state is not None:
        yield f"  state    {_state(facts.state, facts.now)}"
    if facts.kind:
        yield f"  next     {_next(facts)}"
    for place, source in enumerate(facts.sources):
        yield f"  {'sources' if place == 0 else '':8} {_source(source, facts.now)}"
    if facts.drift == 0:
        yield "  drift    none: it equals its query at the recorded versions"
    for finding in findings:
        yield ""
        yield f"  {finding.severity.value.upper():8} {finding.code}"
        for line in wrap(finding.message, WIDTH - 11):
            yield f"           {line}"
        yield f"         > {finding.remedy}"
    if not findings:
        yield "  ok"
    yield ""


def _state(state: StateFacts, now: int) -> str:
    ago = duration((now - state.refreshed) / 1000)
    return f"{number(state.files, 'file')}, {size(state.size)}; refresh {state.refresh}, {ago} ago"


def _next(facts: ModelFacts) -> str:
    said = _KINDS[facts.kind]
    if facts.kind == "incremental":
        said += f" ({facts.technique})"
    if facts.reason is not None and facts.kind == "full":
        said += f": {facts.reason.code.value}"
    return said


def _source(source: SourceFacts, now: int) -> str:
    keys = [f"key ({', '.join(key.columns)}) {_holds(key)}" for key in source.keys]
    if source.files:
        changed = "changed since the last refresh" if source.replaced else "no versions"
        return ", ".join([f"{bare(source.name)}: files", changed, *keys])
    if source.snapshots:
        read = [] if source.recorded is None else [f"read to {source.recorded} of {source.version}"]
        return ", ".join([f"{bare(source.name)}: snapshots", *read, *keys])
    feed = "changes by row tracking" if source.tracked else "no change feed"
    if source.feed_since is not None:
        version, committed = source.feed_since
        feed = f"feed since version {version}" + (f" ({_day(committed)})" if committed else "")
    said = [f"{bare(source.name)}: {feed}"]
    if source.recorded is not None:
        said.append(f"read to version {source.recorded} of {source.version}")
    if source.unread_since is not None:
        age = duration((now - source.unread_since) / 1000)
        said.append(f"{number(source.unread, 'unread change')}, the oldest {age} ago")
    said.append(f"kept {duration(min(source.files_kept, source.log_kept))}")
    return ", ".join([*said, *keys])


def _holds(key: KeyFacts) -> str:
    if key.duplicate is None:
        return "not checked"
    return "does not hold" if key.duplicate else "holds"


def _day(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
