"""Collects the new contents of a state part by part, each in a commit of its own."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from dbt.adapters.ivm_spark.plan.parts import commits_of_parts, started
from dbt.adapters.ivm_spark.plan.plan import Full, Parts, Plan, RefreshKind
from dbt.adapters.ivm_spark.refresh.outcome import Outcome, commit_settings, message, response
from dbt.adapters.ivm_spark.refresh.workspace import Workspace
from dbt.adapters.ivm_spark.source.reader import Query
from dbt.adapters.ivm_spark.state.parts import BOUNDS, ROWS, Part, all_parts, bounds, part
from dbt.adapters.ivm_spark.watermark.build import Build, Record, recorded


class PartBuilder:
    """One build in parts, from the first part that is missing to the last.

    Attributes:
        build: the build as far as it has come.
        resumed: how many parts an earlier run has built.
    """

    def __init__(self, query: Query, session: Workspace, plan: Full) -> None:
        assert plan.parts is not None
        self._query = query
        self._session = session
        self._plan = plan
        self._parts: Parts = plan.parts
        self.build: Build = self._parts.resumes or started(plan, uuid.uuid4().hex, self._bounds())
        self._known: Record | None = None
        self.resumed = self.build.done

    @property
    def by(self) -> str:
        """Return the state's column by whose ranges it goes."""
        return self._parts.by

    @property
    def seconds_before(self) -> float:
        """Return the seconds that earlier runs have spent on it."""
        return 0.0 if self._parts.resumes is None else self._parts.resumes.seconds

    @property
    def is_one(self) -> bool:
        """Return whether everything is one part, so that there is nothing to collect."""
        return not self.build.bounds

    def left(self) -> Iterator[Part]:
        """Yield the parts that are still to be built."""
        first = self.build.done + 1
        for number in range(first, self.build.parts + 1):
            yield part(
                self._plan.select,
                self._parts.by,
                self._parts.type_name,
                self.build.bounds,
                number,
            )

    def commit(self, made: Part, sql: str) -> bool:
        """Run the statement of a part, with the progress of the build in the same commit.

        Delta skips it if another run has built that part of the same build. Return whether the
        table has the parts of this build and no other rows. Raises what the statement raises.
        """
        begun = time.monotonic()
        # The seconds of the part itself are known when it is committed, so the next one has them.
        build = replace(self.build, done=made.number)
        settings = commit_settings(build.encode(), build.build_id, made.number)
        try:
            self._session.set(settings)
            self._query(sql)
        finally:
            self._session.unset(settings, self._plan.untuned)
        self.build = replace(build, seconds=build.seconds + time.monotonic() - begun)
        return self._version() is not None

    def collected(self) -> Full | None:
        """Return the rebuild from the collected parts, None if the table has other rows as well."""
        version = self._version()
        if version is None:
            return None
        rows = all_parts(self._parts.table, self._parts.columns, version)
        return replace(self._plan, select=rows, parts=None)

    def _version(self) -> int | None:
        """Return the version of the table, None if it has other rows than this build's."""
        since = 0 if self._known is None else self._known.version
        commits = commits_of_parts(self._query, self._parts.table, since)
        record = recorded(commits, self._known)
        if record is None or record.build.build_id != self.build.build_id:
            return None
        self._known = record
        return commits[0].version

    def _bounds(self) -> tuple[str, ...]:
        (row,) = self._query(self._parts.question)
        return bounds(str(row[BOUNDS] or ""), int(row[ROWS]), self._parts.wanted)


@dataclass(frozen=True)
class Built:
    """A committed build that a refresh follows: one in parts, or one from a former state.

    Attributes:
        plan: of the build.
        outcome: of its commit.
        builder: that collected the parts, None for a build from a former state.
    """

    plan: Plan
    outcome: Outcome
    builder: PartBuilder | None


def of_build(
    built: Built, plan: Plan, outcome: Outcome, phases: Mapping[str, float]
) -> dict[str, Any]:
    """Return the fields of adapter_response of a build, and of the refresh after it.

    Args:
        built: the build.
        plan: of the refresh after it, the same as the build's without one.
        outcome: of that refresh.
        phases: the seconds of each phase.
    """
    fields, builder = response(built.plan, built.outcome, phases), built.builder
    said, parts = message(built.plan, built.outcome), None
    if builder is not None:
        count = builder.build.parts
        said = f"{said} in {count} parts"
        parts = {"by": builder.by, "parts": count, "built_before": builder.resumed}
    if plan is not built.plan and plan.kind is not RefreshKind.NONE:
        last = response(plan, outcome, phases)
        said = f"{said}, then {message(plan, outcome)}"
        fields |= {name: last[name] for name in ("refresh", "sources", "altered")}
    return {**fields, "_message": said, "parts": parts}
