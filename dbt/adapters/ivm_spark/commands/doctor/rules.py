"""The doctor's rules: pure functions from facts to findings, one for each problem."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from dbt.adapters.ivm_spark.algebra.catalog import quote
from dbt.adapters.ivm_spark.algebra.reasons import ReasonCode
from dbt.adapters.ivm_spark.commands.doctor.durations import FILES_KEPT
from dbt.adapters.ivm_spark.commands.doctor.facts import Finding, ModelFacts, Severity
from dbt.adapters.ivm_spark.commands.doctor.stores import remedy_for
from dbt.adapters.ivm_spark.commands.spoken import bare, duration, number, size
from dbt.adapters.ivm_spark.source.commit import FEED

SOON = 0.5
"""Unread changes cause a warning once they are older than this fraction of a retention."""
DAY = 86400.0
SMALL_FILE = 8_000_000
MANY_FILES = 200
"""A state is worth an OPTIMIZE if it has more files than this and they are small on average."""
SEVERAL_FILES = 4
"""A table in fewer files is not worth another layout."""
MUCH = 0.5
"""The share of a table's files from which on a key reads much of it."""
_TOLD_OF_THE_SOURCE = (ReasonCode.CDF_UNAVAILABLE, ReasonCode.SOURCE_REPLACED)

_AVOIDABLE = (ReasonCode.COST_MODEL, ReasonCode.CDF_UNAVAILABLE, ReasonCode.CHANGE_SET_MISSING)
"""Reasons that the user can remove; for the others, one rebuild is the only remedy."""

Rule = Callable[[ModelFacts], Iterator[Finding]]


def examined(facts: ModelFacts) -> tuple[Finding, ...]:
    """Return all findings on a model, the most severe first."""
    found = [finding for rule in RULES for finding in rule(facts)]
    return tuple(sorted(found, key=lambda f: list(Severity).index(f.severity)))


def not_built(facts: ModelFacts) -> Iterator[Finding]:
    """Report a model that dbt has not built yet."""
    if facts.state is None and not facts.refused:
        yield Finding(
            Severity.INFO, "NOT_BUILT", facts.view, "It has not been built yet.", _run(facts)
        )


def refused(facts: ModelFacts) -> Iterator[Finding]:
    """Report a model whose next run fails."""
    if facts.refused:
        message = f"The next run would fail: {facts.refused}"
        remedy = _run(facts) if _is_forbidden(facts) else "see the message"
        yield Finding(Severity.ERROR, "RUN_WOULD_FAIL", facts.view, message, remedy)


def never_incremental(facts: ModelFacts) -> Iterator[Finding]:
    """Report a query that is refreshed in full whenever a source changes."""
    if facts.unsupported_reason is not None and facts.policy != "full":
        message = f"Every refresh is full. {facts.unsupported_reason}"
        remedy = facts.unsupported_reason.code.remedy
        yield Finding(Severity.WARNING, "NEVER_INCREMENTAL", facts.view, message, remedy)


def next_is_full(facts: ModelFacts) -> Iterator[Finding]:
    """Report a full next refresh, unless another finding tells its reason about a source."""
    reason = facts.reason
    if facts.kind != "full" or reason is None or facts.unsupported_reason is not None:
        return
    known = any(source.feed_since is None or source.replaced for source in facts.of_delta)
    if reason.code is ReasonCode.FULL_REFRESH_REQUESTED:
        return
    if reason.code not in _TOLD_OF_THE_SOURCE or not known:
        message = f"The next refresh is full. {reason}"
        remedy = reason.code.remedy if reason.code in _AVOIDABLE else _run(facts)
        yield Finding(Severity.WARNING, "NEXT_REFRESH_FULL", facts.view, message, remedy)


def feed_off(facts: ModelFacts) -> Iterator[Finding]:
    """Report a source without a change data feed."""
    for source in facts.of_delta:
        unreadable = source.feed_since is None and not source.tracked
        if unreadable and facts.unsupported_reason is None:
            message = (
                f"{bare(source.name)} has no change data feed, so each refresh after a change to "
                "it is full."
            )
            remedy = f"ALTER TABLE {source.name} SET TBLPROPERTIES ('{FEED}' = 'true');"
            yield Finding(Severity.WARNING, "FEED_OFF", source.name, message, remedy)


def of_files(facts: ModelFacts) -> Iterator[Finding]:
    """Report a source that is a table of files."""
    for source in facts.sources:
        if source.files and facts.unsupported_reason is None:
            message = f"{bare(source.name)} is stored as files, so each change to it is a rebuild."
            remedy = "if it changes often, store it as a Delta table"
            yield Finding(Severity.INFO, "SOURCE_OF_FILES", source.name, message, remedy)


def unreadable_snapshots(facts: ModelFacts) -> Iterator[Finding]:
    """Report an Iceberg table whose change log can't be read."""
    for source in facts.sources:
        if source.unreadable and facts.unsupported_reason is None:
            message = (
                f"The changes of {bare(source.name)} can't be read: {source.unreadable}. So each "
                "refresh after a change to it is full."
            )
            modes = ", ".join(
                f"'write.{kind}.mode' = 'copy-on-write'" for kind in ("delete", "update", "merge")
            )
            remedy = (
                f"ALTER TABLE {source.name} SET TBLPROPERTIES ({modes}); then rewrite its data "
                "files, so that no delete file is left"
            )
            yield Finding(Severity.WARNING, "CHANGES_UNREADABLE", source.name, message, remedy)


def feed_will_be_dropped(facts: ModelFacts) -> Iterator[Finding]:
    """Report a source that loses properties at the next run of the dbt model behind it."""
    for source in facts.of_delta:
        if not source.drops:
            continue
        names = [name for name, _ in source.drops]
        feed = FEED in names and facts.unsupported_reason is None
        then = ", and every refresh after that is full" if feed else ""
        message = (
            f"The next run of {source.parent} (materialized: {source.parent_kind}) rewrites "
            f"{bare(source.name)} without {', '.join(names)}{then}."
        )
        wanted = ", ".join(f"'{name}': '{value}'" for name, value in source.drops)
        yield Finding(
            Severity.WARNING if feed else Severity.INFO,
            "PROPERTIES_WILL_BE_DROPPED",
            source.name,
            message,
            f"set in the config of {source.parent}: tblproperties: {{{wanted}}}",
        )


def replaced(facts: ModelFacts) -> Iterator[Finding]:
    """Report a source that was dropped and created again."""
    for source in facts.of_delta:
        if source.replaced:
            message = (
                f"{bare(source.name)} was dropped and created again since the last refresh (table "
                f"id {source.recorded_id}, now {source.table_id}), so the next refresh is full."
            )
            remedy = (
                f"{_run(facts)}; then load {bare(source.name)} with CREATE OR REPLACE TABLE or "
                "INSERT OVERWRITE, which keep its history"
            )
            yield Finding(Severity.WARNING, "SOURCE_REPLACED", source.name, message, remedy)


def changes_about_to_be_lost(facts: ModelFacts) -> Iterator[Finding]:
    """Report unread changes whose files Delta may have deleted, or may soon delete."""
    for source in facts.of_delta:
        if source.unread_since is None or facts.unsupported_reason is not None or source.replaced:
            continue
        age = (facts.now - source.unread_since) / 1000
        limit = min(source.files_kept, source.log_kept)
        if age < limit * SOON:
            continue
        lost = age >= limit
        then = "it may soon delete them"
        if lost:
            then = "it may have deleted them; then the next refresh is full"
        message = (
            f"{bare(source.name)} has unread changes that are {duration(age)} old. Delta keeps "
            f"them for {duration(limit)}, so {then}."
        )
        yield Finding(
            Severity.ERROR if lost else Severity.WARNING,
            "CHANGES_LOST" if lost else "CHANGES_EXPIRE_SOON",
            source.name,
            message,
            f"{_run(facts)}; ALTER TABLE {source.name} SET TBLPROPERTIES ('{FILES_KEPT}' = "
            f"'interval {_days(age)} days');",
        )


def short_retention(facts: ModelFacts) -> Iterator[Finding]:
    """Report a source that keeps the files of its changes for less than a day."""
    for source in facts.of_delta:
        if source.files_kept < DAY and facts.unsupported_reason is None:
            message = (
                f"{bare(source.name)} keeps the files of its changes for only "
                f"{duration(source.files_kept)}. If VACUUM deletes them before a refresh reads "
                "them, that refresh is full."
            )
            remedy = (
                f"ALTER TABLE {source.name} SET TBLPROPERTIES ('{FILES_KEPT}' = 'interval 7 days');"
            )
            yield Finding(Severity.WARNING, "SHORT_RETENTION", source.name, message, remedy)


def keys_do_not_hold(facts: ModelFacts) -> Iterator[Finding]:
    """Report a declared key that is not unique.

    The model is right all the same, unless refreshes trust the key.
    """
    for source in facts.sources:
        for key in source.keys:
            if not key.duplicate:
                continue
            columns = ", ".join(key.columns)
            message = (
                f"The key ({columns}) of {bare(source.name)}, declared by {key.declared_by}, does "
                f"not hold: more than one row has {key.duplicate}."
            )
            if key.trusted:
                message += " Refreshes trust it, so rows of the model may be wrong."
            remedy = (
                f"SELECT {columns}, count(*) FROM {source.name} GROUP BY {columns} "
                "HAVING count(*) > 1;"
            )
            severity = Severity.ERROR if key.trusted else Severity.WARNING
            yield Finding(severity, "KEY_NOT_UNIQUE", source.name, message, remedy)


def references_do_not_hold(facts: ModelFacts) -> Iterator[Finding]:
    """Report a foreign key that refreshes trust and that does not hold."""
    for source in facts.sources:
        for key in source.references:
            if key.orphan:
                message = (
                    f"The foreign key ({', '.join(key.columns)}) of {bare(source.name)} does not "
                    f"hold: {bare(key.referenced)} has no row for {key.orphan}. Refreshes trust "
                    "it, so rows of the model may be wrong."
                )
                remedy = (
                    f"remove {bare(key.referenced)} from foreign_keys, or these rows from "
                    f"{bare(source.name)}; then dbt run --select {facts.model} --full-refresh"
                )
                yield Finding(Severity.ERROR, "FOREIGN_KEY_BROKEN", source.name, message, remedy)


def unsafe_store(facts: ModelFacts) -> Iterator[Finding]:
    """Report a state in a store in which two drivers can lose commits."""
    state = facts.state
    if state is not None and state.unsafe:
        message = (
            f"Its state is in a store ({state.unsafe}:) in which the commits of two Spark drivers "
            "at once can get lost."
        )
        remedy = remedy_for(state.unsafe)
        yield Finding(Severity.WARNING, "STORE_CAN_LOSE_COMMITS", state.name, message, remedy)


def laid_out_otherwise(facts: ModelFacts) -> Iterator[Finding]:
    """Report a big table that a change meets by a key by which it is not laid out."""
    for table in facts.met:
        if table.files < SEVERAL_FILES or table.read < MUCH * table.files:
            continue
        message = (
            f"A change meets {bare(table.relation)} by {table.key}, by which it is not laid out: "
            f"to find one key, a refresh reads {table.read:.0f} of its "
            f"{number(table.files, 'file')} on average. Clustered by it, that would be about one."
        )
        remedy = (
            f"ALTER TABLE {table.relation} CLUSTER BY ({quote(table.key)}); OPTIMIZE "
            f"{table.relation} FULL; unless other queries need the layout that it has"
        )
        yield Finding(Severity.INFO, "NOT_CLUSTERED_BY_KEY", table.relation, message, remedy)


def many_files(facts: ModelFacts) -> Iterator[Finding]:
    """Report a state in many small files."""
    state = facts.state
    if state is None or state.files <= MANY_FILES or state.size > state.files * SMALL_FILE:
        return
    message = (
        f"Its state has {number(state.files, 'file')} of {size(state.size // state.files)} on "
        "average. Refreshes and readers open all of them."
    )
    yield Finding(
        Severity.WARNING, "MANY_SMALL_FILES", state.name, message, f"OPTIMIZE {state.name};"
    )


def held(facts: ModelFacts) -> Iterator[Finding]:
    """Report a view that an unfinished rebuild has left at an old version of its state."""
    if facts.state is not None and facts.state.held:
        message = (
            "A rebuild is running or was interrupted. Until a rebuild finishes, readers see the "
            "contents from before it."
        )
        yield Finding(Severity.WARNING, "VIEW_HELD", facts.view, message, _run(facts))


def drifted(facts: ModelFacts) -> Iterator[Finding]:
    """Report a view that does not equal its query at the recorded versions."""
    if facts.drift:
        message = (
            f"It differs from its query at the recorded versions in {number(facts.drift, 'row')}. "
            "Please report it with the query, the changes since the last full refresh, and the "
            "rows that the test equals_its_query shows."
        )
        remedy = f"dbt run --select {facts.model} --full-refresh"
        yield Finding(Severity.ERROR, "DRIFT", facts.view, message, remedy)
    if facts.unchecked:
        message = f"The doctor could not compare it with its query: {facts.unchecked}"
        yield Finding(Severity.INFO, "DRIFT_UNCHECKED", facts.view, message, "see the message")


RULES: Sequence[Rule] = (
    refused,
    drifted,
    not_built,
    never_incremental,
    next_is_full,
    feed_off,
    of_files,
    unreadable_snapshots,
    feed_will_be_dropped,
    replaced,
    changes_about_to_be_lost,
    short_retention,
    keys_do_not_hold,
    references_do_not_hold,
    unsafe_store,
    laid_out_otherwise,
    many_files,
    held,
)


def _run(facts: ModelFacts) -> str:
    return f"dbt run --select {facts.model}" + (" --full-refresh" if _is_forbidden(facts) else "")


def _is_forbidden(facts: ModelFacts) -> bool:
    """Return whether the next refresh is full and the model's policy forbids that."""
    return facts.kind == "full" and facts.policy == "incremental_strict"


def _days(age: float) -> int:
    return max(7, 2 * round(age / DAY))
