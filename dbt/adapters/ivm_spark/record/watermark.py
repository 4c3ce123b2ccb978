"""What the last commit of a state recorded, in the commit's own metadata.

It travels as base64 of JSON, because a `;` or a quote in a SET value would cut it off.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from dbt.adapters.ivm_spark.__version__ import version
from dbt.adapters.ivm_spark.estimate.cost import Effort, Experience, Work, learned
from dbt.adapters.ivm_spark.record.configuration import Configuration
from dbt.adapters.ivm_spark.source.commit import Commit, Effect

FORMAT = 2
_MARK = "ivm2."
_ALTERS = frozenset({"SET TBLPROPERTIES", "UNSET TBLPROPERTIES", "CLUSTER BY"})
_ANY_MARK = re.compile(r"ivm\d+\.")


@dataclass(frozen=True)
class SourceMark:
    """A source at the recorded version: Delta's table id, the version, when that version was
    committed, and its rows as far as known (counted at the last rebuild, inserts added since)."""

    table_id: str
    version: int
    rows: int = 0
    committed: str = ""


@dataclass(frozen=True)
class Story:
    """What a commit says of its refresh to people: kind and technique; code and detail of the
    reason of a full one; seconds that it was thought to take, incrementally and in full."""

    kind: str = ""
    technique: str = ""
    reason: tuple[str, str] | None = None
    estimates: tuple[float, float] | None = None


@dataclass(frozen=True)
class Watermark:
    """state_id: names the state to Delta's idempotent writes; refresh: counts its refreshes;
    fingerprint: of the query; sources: by quoted name; outputs and types: what Spark said of the
    query's columns and of the state's, so that a refresh need not ask again; lasting: code and
    detail of why the query is never maintained; repeatable: its sources' rows alone decide its
    result; package: the version of this package that found so; effort: of this refresh;
    experience: of those before it; configured: what the model said of the table, None where the
    table is not so; appends: the state was built to be appended to; appended: how often it has
    been since its rows were last added up; large: its table is laid out as a large state's."""

    state_id: str
    refresh: int
    fingerprint: str
    sources: dict[str, SourceMark]
    outputs: tuple[tuple[str, str], ...] = ()
    types: dict[str, str] = field(default_factory=dict)
    lasting: tuple[str, str] | None = None
    repeatable: bool = True
    package: str = version
    effort: Effort = field(default_factory=Effort)
    experience: Experience = field(default_factory=Experience)
    configured: Configuration | None = None
    appends: bool = False
    appended: int = 0
    large: bool = False
    story: Story = field(default_factory=Story)
    format: int = FORMAT

    def encode(self) -> str:
        """The text that goes into the commit's metadata."""
        text = json.dumps(asdict(self), separators=(",", ":"))
        return _MARK + base64.urlsafe_b64encode(text.encode()).decode()


def decode(metadata: str | None) -> Watermark | None:
    """The watermark in a commit's metadata, None if the commit is not ours or of a format that
    this version does not read."""
    if not metadata or not metadata.startswith(_MARK):
        return None
    try:
        facts = json.loads(base64.urlsafe_b64decode(metadata[len(_MARK) :]))
        return _watermark(facts) if facts["format"] == FORMAT else None
    except (ValueError, binascii.Error, KeyError, TypeError, AttributeError):
        return None


def _watermark(facts: dict[str, Any]) -> Watermark:
    return Watermark(
        state_id=facts["state_id"],
        refresh=facts["refresh"],
        fingerprint=facts["fingerprint"],
        sources={name: SourceMark(**mark) for name, mark in facts["sources"].items()},
        outputs=tuple((name, kind) for name, kind in facts["outputs"]),
        types=facts["types"],
        lasting=tuple(facts["lasting"]) if facts["lasting"] else None,
        repeatable=facts["repeatable"],
        package=facts["package"],
        effort=_effort(facts["effort"]) if "effort" in facts else Effort(),
        experience=Experience(**facts.get("experience", {})),
        configured=_configuration(facts["configured"]) if facts.get("configured") else None,
        appends=facts.get("appends", False),
        appended=facts.get("appended", 0),
        large=facts.get("large", False),
        story=_story(facts["story"]) if "story" in facts else Story(),
    )


def _story(facts: dict[str, Any]) -> Story:
    return Story(
        facts["kind"],
        facts["technique"],
        tuple(facts["reason"]) if facts["reason"] else None,
        tuple(facts["estimates"]) if facts["estimates"] else None,
    )


def _configuration(facts: dict[str, Any]) -> Configuration:
    return Configuration(
        tuple(facts["partitions"]),
        tuple(facts["clusters"]),
        facts["properties"],
        facts["location"],
        facts.get("appends", False),
    )


def _effort(facts: dict[str, Any]) -> Effort:
    known = {place.name for place in fields(Work)}
    work = {name: count for name, count in facts["work"].items() if name in known}
    return Effort(
        facts["started"],
        facts["full"],
        facts["first"],
        Work(**work),
        facts.get("compared", False),
        facts.get("differed", 0.0),
    )


@dataclass(frozen=True)
class StateHistory:
    """The newest watermark of a state, whether somebody else has written since, and when it was
    committed, in milliseconds, 0 if that is not known; gained: rows that its commit added to the
    state, those of a rebuild all; unread: the commit whose watermark is of another format; altered:
    whether the table's configuration was changed since; version: the state's newest."""

    watermark: Watermark | None
    modified: str = ""
    committed: int = 0
    gained: int = 0
    unread: str = ""
    altered: bool = False
    version: int | None = None

    @property
    def experience(self) -> Experience:
        """What the view's refreshes have taken, the newest included.

        A clock of the cluster may differ from the one the refresh began by; what can't be is left
        out.
        """
        if self.watermark is None:
            return Experience()
        effort, before = self.watermark.effort, self.watermark.experience
        seconds = (self.committed - effort.started) / 1000
        if effort.started and seconds > 0:
            before = learned(before, effort, seconds)
        replaced = effort.full and not effort.compared
        rows = self.gained if replaced else before.state_rows + self.gained
        return replace(before, state_rows=max(rows, 0))


def newest(commits: Sequence[Commit]) -> StateHistory:
    """Read a state's commits, newest first. OPTIMIZE and ALTER in between carry no watermark."""
    modified, altered = "", False
    version = commits[0].version if commits else None
    for commit in commits:
        watermark = decode(commit.metadata)
        changed = commit.effect is not Effect.NOTHING
        merged = changed or commit.operation in ("MERGE", "WRITE")
        if watermark is not None and merged:
            committed = int(commit.committed) if commit.committed.isdigit() else 0
            return StateHistory(
                watermark, modified, committed, commit.gained, altered=altered, version=version
            )
        altered = altered or commit.operation.upper() in _ALTERS
        if merged and _ANY_MARK.match(commit.metadata or ""):
            unread = f"{commit.operation} at version {commit.version}"
            return StateHistory(None, modified, unread=unread, version=version)
        if changed or commit.reshapes(None, mapped=False):
            modified = f"{commit.operation} at version {commit.version}"
    return StateHistory(None, modified, version=version)
