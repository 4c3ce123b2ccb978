"""Prepares the comparison of a view with its query at the versions that its state records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from dbt_common.exceptions import CompilationError, DbtDatabaseError

from dbt.adapters.ivm_spark.algebra.catalog import Catalog, RelationKind, quote, relation_key
from dbt.adapters.ivm_spark.algebra.dialect import to_sql, without_end
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, Reason, ReasonCode
from dbt.adapters.ivm_spark.commands.verify.comparison import (
    Comparison,
    ComparisonError,
    columns_of,
    sampled_by,
)
from dbt.adapters.ivm_spark.commands.verify.pinned import (
    decided,
    has_limit,
    held_at,
    is_decided,
    judged,
    open_aggregates,
    without_limit,
    written,
)
from dbt.adapters.ivm_spark.delta.moved import not_true
from dbt.adapters.ivm_spark.plan.examined import in_order
from dbt.adapters.ivm_spark.plan.frozen_where import frozen_condition
from dbt.adapters.ivm_spark.plan.reading import Reading, dialect_of, read
from dbt.adapters.ivm_spark.plan.relations import catalog_of, described_function
from dbt.adapters.ivm_spark.plan.spark_plans import plans_are_equivalent
from dbt.adapters.ivm_spark.session.condition import first_line
from dbt.adapters.ivm_spark.source.pins import Pins
from dbt.adapters.ivm_spark.source.reader import Query, SourceReader
from dbt.adapters.ivm_spark.source.version_range import Head, version_range
from dbt.adapters.ivm_spark.sql.build import View
from dbt.adapters.ivm_spark.sql.parse import Parsed, parse
from dbt.adapters.ivm_spark.state.held import held
from dbt.adapters.ivm_spark.state.shown_row import decode_row
from dbt.adapters.ivm_spark.watermark.configuration import ConfigError
from dbt.adapters.ivm_spark.watermark.history import (
    identified,
    is_another,
    replacement,
    since_last_refresh,
)
from dbt.adapters.ivm_spark.watermark.published import published
from dbt.adapters.ivm_spark.watermark.shown import ROW
from dbt.adapters.ivm_spark.watermark.watermark import StateHistory, Watermark, newest

_ANOTHER = {
    ReasonCode.FILES_CHANGED: "got other files",
    ReasonCode.DATA_SCHEMA_CHANGED: "got other columns",
    ReasonCode.SOURCE_REPLACED: "was dropped and created again",
}
_NO_SUCH_VERSION = ("[DELTA_", "Cannot find snapshot with ID")
"""How Delta and Iceberg say that they can't read a version."""
Versions = Mapping[str, int]
_Text = Callable[[Versions], str]


@dataclass(frozen=True)
class _Known:
    """A query with all that is known of it.

    Attributes:
        sql: its text.
        parsed: the text as parsed.
        reading: what the planner makes of the text.
        catalog: the relations that it reads.
    """

    sql: str
    parsed: Parsed
    reading: Reading
    catalog: Catalog

    @property
    def view(self) -> View | None:
        """Return the query's trees, None if it is not maintained."""
        return self.reading.view if self.reading.unsupported_reason is None else None


@dataclass(frozen=True)
class _Shown:
    """What people read of a model.

    Attributes:
        text: the view's SELECT, or one of all rows of a published table.
        at: the version of the state that they see, None for the newest.
        of_view: it is the text of a view.
    """

    text: str
    at: int | None
    of_view: bool


class Verifier:
    """Prepares comparisons through one connection. It reads no rows itself."""

    def __init__(self, query: Query) -> None:
        self._query = query
        self._reader = SourceReader(query)

    def comparison(
        self,
        *,
        model: str,
        sql: str,
        view: str,
        state: str,
        sample: object = None,
        exclude: Sequence[str] | None = None,
    ) -> Comparison:
        """Return the comparison that shows whether a view equals its query.

        The query reads its sources at the recorded versions.

        Args:
            model: its name, for messages.
            sql: its compiled query.
            view: quoted name of its view.
            state: quoted name of its state.
            sample: the fraction of the rows to compare, None for all.
            exclude: columns that are not compared, None if the query's result must be certain.

        Raises:
            CompilationError: the comparison would say nothing. The message has the remedy.
        """
        try:
            return self._comparison(model, without_end(sql), view, state, sample, exclude)
        except ComparisonError as error:
            text = str(error).removesuffix(".")
            raise CompilationError(f"equals_its_query of {model}: {text}.") from error

    def _comparison(
        self,
        model: str,
        sql: str,
        view: str,
        state: str,
        sample: object,
        exclude: Sequence[str] | None,
    ) -> Comparison:
        seen = self._shown(view, model)
        history, version = self._history(state, seen.at)
        watermark = _recorded(history, state, model)
        known = self._known(sql, watermark, model)
        _check_certain(known, exclude)
        heads = self._heads(known, watermark, model)
        names = tuple(quote(name) for name, _ in watermark.outputs)
        limited = seen.of_view and has_limit(known.parsed, known.view)
        unlimited = without_limit(seen.text) if limited else None
        shown = seen.text if unlimited is None else unlimited
        wanted = self._wanted(known, unlimited is None, watermark, heads, model)
        return Comparison(
            shown=held(shown, [name for name, _ in watermark.outputs], state, version) or shown,
            wanted=wanted,
            names=names,
            columns=columns_of(watermark.outputs, exclude or ()),
            sampled=sampled_by(sample, watermark.outputs, self._keys(view)),
            live=_live(watermark),
        )

    def _shown(self, view: str, model: str) -> _Shown:
        relation = self._reader.relation(view)
        if relation.kind is RelationKind.VIEW:
            return _Shown(relation.text, held_at(relation.text), of_view=True)
        mark = published(self._reader.commits(view, 0)).mark
        if mark is None:
            raise ComparisonError(
                f"{view} is a table that its model has not published. Run it: dbt run --select "
                f"{model}"
            )
        return _Shown(f"SELECT * FROM {view}", mark.version, of_view=False)

    def _history(self, state: str, at: int | None) -> tuple[StateHistory, int]:
        """Return the state's history up to the version that is shown, and that version."""
        if at is None:
            commits = since_last_refresh(self._reader, state)
        else:
            commits = [c for c in self._reader.commits(state, 0) if c.version <= at]
        return newest(commits), commits[0].version

    def _known(self, sql: str, watermark: Watermark, model: str) -> _Known:
        settings = Pins().settings(self._reader)
        catalog, _ = catalog_of(
            sql, self._reader.relation, partial(described_function, self._reader)
        )
        reading = read(sql, catalog, settings)
        if reading.fingerprint != watermark.fingerprint and catalog.functions:
            # The model may list its functions as deterministic, which its watermark shows.
            names = frozenset(name.replace("`", "") for name in catalog.functions)
            catalog = replace(catalog, trusted=names)
            reading = read(sql, catalog, settings)
        _check_settings(reading)
        if watermark.unsupported_reason is not None:
            code, detail = watermark.unsupported_reason
            unsupported_reason = Reason(ReasonCode(code), detail)
            reading = replace(
                reading, unsupported_reason=unsupported_reason, repeatable=watermark.repeatable
            )
        if reading.view is not None:
            reading = replace(reading, view=in_order(reading.view, watermark.in_order))
        try:
            parsed = parse(sql, catalog, dialect_of(settings))
        except NotMaintained as error:
            raise ComparisonError(
                "dbt-ivm-spark can't read its query, so it does not know which versions of which "
                f"sources to compare ({error.reason}). {error.reason.code.remedy}"
            ) from error
        _check_sources(parsed)
        sources = {relation.name for relation in parsed.tables.values()}
        if reading.fingerprint != watermark.fingerprint or sources != watermark.sources.keys():
            raise ComparisonError(
                "its query, a view that it reads, a source column or a session setting that "
                "changes its result has changed since its last refresh. Refresh it: dbt run "
                f"--select {model}"
            )
        return _Known(sql, parsed, reading, catalog)

    def _heads(self, known: _Known, watermark: Watermark, model: str) -> dict[str, Head]:
        """Return the sources as they are now; raise if one is not the recorded table."""
        heads = {}
        for name, recorded in watermark.sources.items():
            relation = known.catalog.relations[relation_key(name)]
            head = self._reader.head(relation, recorded.version)
            head = identified(self._reader, name, head, recorded)
            if is_another(head, recorded):
                what = _ANOTHER[replacement(head, recorded)]
                raise ComparisonError(
                    f"its source {name} {what} since its last refresh, so the rows that it read "
                    f"no longer exist. Refresh it: dbt run --select {model}"
                )
            heads[name] = head
        return heads

    def _wanted(
        self,
        known: _Known,
        limited: bool,
        watermark: Watermark,
        heads: Mapping[str, Head],
        model: str,
    ) -> str:
        """Return the query at the recorded versions.

        If one of them can't be read any more and nothing has changed since, return the query at
        the newest versions.
        """
        recorded = {n: m.version for n, m in watermark.sources.items() if not heads[n].files}
        text = self._text(known, limited, watermark)
        try:
            return self._described(text, recorded, watermark)
        except DbtDatabaseError as error:
            of_a_version = any(said in str(error.msg) for said in _NO_SUCH_VERSION)
            if not of_a_version:
                raise
            unmoved = {
                name: head.version
                for name, head in heads.items()
                if name in recorded and not version_range(name, recorded[name], head, None).moved
            }
            if unmoved.keys() == recorded.keys() and unmoved != recorded:
                return self._described(text, unmoved, watermark)
            gone = ", ".join(f"{n} version {v}" for n, v in recorded.items())
            raise ComparisonError(
                f"Spark can no longer read the source versions of its last refresh ({gone}: "
                f"{first_line(error)}). Refresh it and test it right away: dbt build --select "
                f"{model}. To test it later than that, lengthen the sources' retention: ALTER "
                "TABLE <source> SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = "
                "'interval 30 days')"
            ) from error

    def _text(self, known: _Known, limited: bool, watermark: Watermark) -> _Text:
        """Return the function that writes the query at versions.

        1. If the model decides an order of rows, it is the query as the model answers it.
        2. Otherwise it is the user's text, if Spark's plan shows that the text is what the user
           wrote. The plans are not compared if the query is not deterministic.
        3. Otherwise it is the query as it was compared with Spark's plan at the state's build.
        """
        view, clock_at = known.view, watermark.clock_at
        if view is not None and (is_decided(view) or watermark.in_order):
            return lambda versions: decided(view, versions, limited, clock_at)
        plain = written(known.parsed)
        # The plan of a query that is not deterministic may have other seeds each time.
        if plain is not None and (
            not known.reading.repeatable
            or plans_are_equivalent(self._query, known.sql, plain, clock=clock_at != 0)
        ):
            return lambda versions: written(known.parsed, versions, limited, clock_at) or ""
        if view is not None:
            return lambda versions: judged(view, versions, limited, clock_at)
        raise ComparisonError(
            "dbt-ivm-spark is not certain how to rewrite its query for other versions of its "
            "sources. Simplify the query, and please report it"
        )

    def _described(self, text: _Text, versions: Versions, watermark: Watermark) -> str:
        sql = text(versions)
        rows = self._query(f"describe query\n{sql}")
        kinds = [str(row["data_type"]) for row in rows]
        if kinds != [kind for _, kind in watermark.outputs]:
            raise ComparisonError(
                "the column types of its query differ from those of the view. Rebuild it with "
                "--full-refresh"
            )
        return sql

    def _keys(self, view: str) -> list[str]:
        """Return the view's columns whose values no two rows share, if it shows all of them."""
        rows = self._query(f"show tblproperties {view}")
        text = next((str(row["value"]) for row in rows if row["key"] == ROW), "")
        return list(decode_row(text).shown_keys) if text else []


def _live(watermark: Watermark) -> str:
    """Return the condition that a row of a view is not frozen, empty if none is."""
    if not watermark.frozen:
        return ""
    names = {name.lower(): name for name, _ in watermark.outputs}
    try:
        return to_sql(not_true(frozen_condition(watermark.frozen, names)))
    except ConfigError as error:
        raise ComparisonError(str(error)) from error


def _recorded(history: StateHistory, state: str, model: str) -> Watermark:
    if history.unread:
        raise ComparisonError(
            f"another version of dbt-ivm-spark wrote its state {state} ({history.unread}). "
            f"Refresh it with this version: dbt run --select {model}"
        )
    if history.watermark is None:
        raise ComparisonError(
            f"its state {state} has no recorded refresh. Build it: dbt run --select {model}"
        )
    return history.watermark


def _check_sources(parsed: Parsed) -> None:
    others = [r.name for r in parsed.tables.values() if not r.tells_changes]
    if others or parsed.missing:
        raise ComparisonError(
            f"it reads {', '.join([*others, *parsed.missing])}, which has no versions because it "
            "is neither a Delta table nor one of files. Store it as a Delta table to test this "
            "model"
        )


def _check_settings(reading: Reading) -> None:
    """Raise for a query whose views Spark reads under other settings.

    Once they are written out, Spark would read their texts under the session's settings.
    """
    if (
        reading.unsupported_reason is not None
        and reading.unsupported_reason.code is ReasonCode.VIEW_SETTINGS_DIFFER
    ):
        raise ComparisonError(
            f"{reading.unsupported_reason} {reading.unsupported_reason.code.remedy}"
        )


def _check_certain(known: _Known, exclude: Sequence[str] | None) -> None:
    """Raise for a query whose result is open, unless the user says which columns not to compare."""
    if exclude is not None:
        return
    if not known.reading.repeatable:
        raise ComparisonError(
            "its query may not be deterministic: it may return a different result each time it "
            f"runs ({known.reading.unsupported_reason}). Name the columns that may vary, for "
            "example exclude: [loaded_at]; exclude: [] compares all columns anyway"
        )
    found = open_aggregates(known.parsed)
    if found:
        raise ComparisonError(
            f"its query is not deterministic: the value of {', '.join(found)} depends on the "
            "order in which Spark reads the rows. Sort the list (sort_array), or name the columns "
            "that may vary, for example exclude: [tags]; exclude: [] compares all columns anyway"
        )
