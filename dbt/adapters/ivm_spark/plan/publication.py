"""How the table that a model publishes is brought up to its state.

State and table are two objects. The state is committed first. The table follows in one commit,
which records the state's version; so its readers see the rows of one refresh or of the next, and a
run that ended between the two commits is made up for by the next run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from dbt.adapters.ivm_spark.algebra.types import have_equality
from dbt.adapters.ivm_spark.plan.comparing import MUCH
from dbt.adapters.ivm_spark.plan.plan import Plan
from dbt.adapters.ivm_spark.plan.request import Request
from dbt.adapters.ivm_spark.source.commit import Commit, Effect
from dbt.adapters.ivm_spark.state.feed import FORMS, UPDATES, Feed
from dbt.adapters.ivm_spark.state.held import held
from dbt.adapters.ivm_spark.state.shown_row import ShownRow, decode_row
from dbt.adapters.ivm_spark.state.storage import is_stored
from dbt.adapters.ivm_spark.state.visible import is_delta_name
from dbt.adapters.ivm_spark.watermark.configuration import ConfigError, Configuration
from dbt.adapters.ivm_spark.watermark.published import PublishedMark, PublishedTable
from dbt.adapters.ivm_spark.watermark.shown import PROPERTY, ROW
from dbt.adapters.ivm_spark.watermark.watermark import newest

_BY_ROWS = frozenset({"MERGE", "UPDATE", "DELETE"})


class Way(str, Enum):
    """How a published table is brought up to its state."""

    NOTHING = "nothing"
    CHANGES = "changes"
    OVERWRITE = "overwrite"
    CREATE = "create"


_HARDER = {Way.CHANGES: Way.OVERWRITE, Way.OVERWRITE: Way.CREATE}


@dataclass(frozen=True)
class Publication:
    """The input of the templates that write a published table.

    Attributes:
        way: how the table is brought up to its state.
        mark: what its commit records.
        select: the SELECT of all rows, with the query's columns.
        columns: names of the columns.
        keys: the columns that no two rows have in common, none if the rows are a bag.
        changes: the state's changes to apply, None if all rows are written.
        contents: the state's rows, for the copies that are left of a row, None as for `changes`.
        table: how the table is laid out.
        reason: why all rows are written, empty if they are not.
    """

    way: Way
    mark: PublishedMark
    select: str
    columns: tuple[str, ...]
    keys: tuple[str, ...]
    changes: Feed | None
    contents: Feed | None
    table: Configuration
    reason: str = ""

    def located(self, location: str) -> Publication:
        """Return the same publication, with the state's feed read by location.

        A statement that reads a table and its feed by name would take one for the other.
        """
        if self.changes is None:
            return self
        return replace(self, changes=replace(self.changes, location=location))

    def harder(self, reason: str) -> Publication | None:
        """Return the way to take if Spark rejects this one, None if there is none."""
        way = _HARDER.get(self.way)
        if way is None:
            return None
        return replace(self, way=way, changes=None, contents=None, reason=reason)


def check_publishable(outputs: Sequence[tuple[str, str]]) -> None:
    """Raise ConfigError for a column (name, Spark type) that no Delta table can have."""
    for name, kind in outputs:
        if not is_delta_name(name):
            raise ConfigError(
                f"publish is table, and Delta allows no column named '{name}'. Give it an alias of "
                "letters, digits and underscores, or set publish: view"
            )
        if not is_stored(kind):
            raise ConfigError(
                f"publish is table, and Delta stores no column of the type {kind}, which '{name}' "
                "has. Cast it to another type, or set publish: view"
            )


def publication(
    plan: Plan, request: Request, table: PublishedTable | None, commits: Sequence[Commit]
) -> Publication | None:
    """Return how to publish, None if another run has built the state for another query since.

    Args:
        plan: of the refresh, whose state is committed.
        request: of the model.
        table: the published table, None if there is none.
        commits: of the state, newest first, with each since the version that the table shows.
    """
    written = newest(commits).watermark
    if written is not None and written.fingerprint != plan.watermark.fingerprint:
        return None
    version = commits[0].version
    form, names = _form(plan, request), tuple(name for name, _ in plan.outputs)
    state_id = plan.watermark.state_id
    pinned = held(plan.view, names, request.state, version)
    before = None if table is None else table.mark
    number = before.number + 1 if before is not None and before.state_id == state_id else 1
    row = decode_row(plan.row) if plan.row else None
    way, reason = _way(plan, form, table, commits, row)
    found = Publication(
        way,
        PublishedMark(state_id, version if pinned is not None else None, number, form),
        pinned or plan.altered,
        names,
        () if row is None else row.shown_keys,
        None,
        None,
        _laid_out(plan, request, names),
        reason,
    )
    if way is not Way.CHANGES:
        return found
    assert row is not None and before is not None
    updates = UPDATES[0] if found.keys else UPDATES[1]
    changes = Feed(request.state, row, FORMS[0], updates, before.version, version, 0, ())
    return replace(found, changes=changes, contents=replace(changes, since=None))


def _laid_out(plan: Plan, request: Request, names: Sequence[str]) -> Configuration:
    """Return how the table is laid out, with the properties that tell whose it is."""
    table = request.config.published.placed({name.lower(): name for name in names})
    return replace(table, properties={**table.properties, PROPERTY: plan.shown, ROW: plan.row})


def _form(plan: Plan, request: Request) -> str:
    table = request.config.published
    laid_out = [table.partitions, table.clusters, dict(table.properties), table.location]
    text = json.dumps([plan.shown, plan.outputs, laid_out], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _way(
    plan: Plan,
    form: str,
    table: PublishedTable | None,
    commits: Sequence[Commit],
    row: ShownRow | None,
) -> tuple[Way, str]:
    """Return how to publish, and why all rows are written if they are."""
    if table is None:
        return Way.CREATE, "there was no table"
    mark = table.mark
    if mark is None:
        return Way.CREATE, "the table was not published by this model"
    if mark.form != form:
        return Way.CREATE, "its columns, its query or its layout changed"
    if table.altered:
        return Way.OVERWRITE, "somebody else changed the table"
    if mark.state_id != plan.watermark.state_id or mark.version is None:
        return Way.OVERWRITE, "the state is a new one"
    if mark.version == commits[0].version:
        return Way.NOTHING, ""
    since = [commit for commit in commits if commit.version > mark.version]
    if len(since) != commits[0].version - mark.version:
        return Way.OVERWRITE, "the state's log has lost its commits since"
    moved = [commit for commit in since if commit.effect is not Effect.NOTHING]
    if not moved:
        return Way.NOTHING, ""
    return _way_of_rows(plan, moved, row)


def _way_of_rows(plan: Plan, moved: Sequence[Commit], row: ShownRow | None) -> tuple[Way, str]:
    if any(not _tells_rows(commit) for commit in moved):
        return Way.OVERWRITE, "the state was rebuilt"
    if row is None:
        return Way.OVERWRITE, "its rows depend on one another (LIMIT)"
    if not have_equality(dict(plan.outputs)):
        return Way.OVERWRITE, "a column's type can't be compared"
    found = plan.findings
    rows = 0 if found is None else found.cost_model.state_rows
    if rows and sum(commit.rows for commit in moved) > MUCH * rows:
        return Way.OVERWRITE, "many rows changed"
    return Way.CHANGES, ""


def _tells_rows(commit: Commit) -> bool:
    """Return whether a commit of the state changed single rows, which its feed has."""
    return commit.operation.upper() in _BY_ROWS or commit.effect is Effect.INSERTS
