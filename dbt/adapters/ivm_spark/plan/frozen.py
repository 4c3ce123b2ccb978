"""Checks which rows of a state are frozen, and that a run keeps them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from dbt_common.exceptions import DbtDatabaseError
from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from dbt.adapters.ivm_spark.algebra.columns import passed, used_columns
from dbt.adapters.ivm_spark.algebra.dialect import IvmSpark, to_sql
from dbt.adapters.ivm_spark.algebra.traversal import walk
from dbt.adapters.ivm_spark.algebra.tree import At, Filter, Limit, Project, Scan
from dbt.adapters.ivm_spark.algebra.types import cast_as
from dbt.adapters.ivm_spark.analysis.cannot_raise import cannot_raise
from dbt.adapters.ivm_spark.physical.lower import Known, optimized
from dbt.adapters.ivm_spark.plan.change import Derivation
from dbt.adapters.ivm_spark.plan.findings import Facts, Findings
from dbt.adapters.ivm_spark.plan.frozen_where import covering, frozen_condition
from dbt.adapters.ivm_spark.plan.plan import Plan
from dbt.adapters.ivm_spark.plan.reading import dialect_of
from dbt.adapters.ivm_spark.plan.refusals import RefusedError
from dbt.adapters.ivm_spark.plan.request import Request
from dbt.adapters.ivm_spark.plan.result_settings import result_settings
from dbt.adapters.ivm_spark.session.condition import first_line, says_condition
from dbt.adapters.ivm_spark.source.binding import Versions
from dbt.adapters.ivm_spark.source.reader import Query
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.state.difference import stored_types
from dbt.adapters.ivm_spark.state.frozen import Frozen, changed_rows
from dbt.adapters.ivm_spark.state.layout import STATE, Layout
from dbt.adapters.ivm_spark.state.visible import columns_of_state
from dbt.adapters.ivm_spark.watermark.configuration import ConfigError
from dbt.adapters.ivm_spark.watermark.watermark import StateHistory, Watermark

LIMITED = (
    "frozen_where does not go with a LIMIT of the whole query, because which rows a view with a "
    "LIMIT shows depends on all others."
)
_TEXTS = ("string", "binary")
ZONE = "spark.sql.session.timeZone"


def frozen_rows(text: str, layout: Layout | None, facts: Facts, dialect: str) -> Frozen | None:
    """Return the rows of a state that a `frozen_where` freezes, None for an empty one.

    Args:
        text: the config.
        layout: of the state with all rows, None for a query that is stored as it is.
        facts: Spark's answers about the query.
        dialect: sqlglot's dialect of the session.

    Raises ConfigError if the condition does not fit the view.
    """
    if not text:
        return None
    stored = columns_of_state(layout, facts.outputs)
    if layout is not None:
        keys = {key.name for key in layout.keys}
        stored = {name: column for name, column in stored.items() if column in keys}
        if any(isinstance(node, Limit) for node in walk(layout.top)):
            raise ConfigError(LIMITED)
    return Frozen(text, frozen_condition(text, stored, dialect), layout)


def with_frozen(request: Request, found: Findings) -> Findings:
    """Return findings whose layout leaves out the rows that are frozen.

    Raises RefusedError if the model's condition does not fit its view.
    """
    text = request.config.frozen_where
    if text and found.layout is None and _is_limited(request.sql):
        raise RefusedError(LIMITED)
    try:
        frozen = frozen_rows(text, found.layout, found.facts, session_dialect(found))
    except ConfigError as error:
        raise RefusedError(error.sentence) from error
    if frozen is None:
        return found
    return replace(found, frozen=frozen, layout=frozen.live).derived


def _is_limited(sql: str) -> bool:
    """Return whether a query has a LIMIT at its top, as far as it can be read."""
    try:
        return parse_one(sql, dialect=IvmSpark).args.get("limit") is not None
    except SqlglotError:
        return False


def check_frozen(query: Query, request: Request, history: StateHistory, found: Findings) -> None:
    """Raise RefusedError if a model's condition is none, or gives up rows that were frozen."""
    frozen, before = found.frozen, history.watermark
    recorded = "" if before is None or before.limited else before.frozen
    text = "" if frozen is None else frozen.text
    zone = frozen_zone(found)
    if before is not None and recorded and zone and before.frozen_zone not in ("", zone):
        _check_zone(request, recorded, before.frozen_zone, zone)
    if text == recorded and (before is None or not found.known or _is_recorded(found, before)):
        return
    if frozen is not None:
        _check_condition(query, frozen, types_of_state(found))
    if not recorded or request.full_refresh:
        return
    if frozen is None or before is None or not _covers(query, found, frozen, before):
        now = f"is now {text!r}" if text else "was removed"
        raise RefusedError(
            f"frozen_where was {recorded!r} and {now}, which may free rows that were frozen. They "
            "would be computed again from what the sources still have. If that is meant, run with "
            "--full-refresh; otherwise restore the condition."
        )


def frozen_zone(found: Findings) -> str:
    """Return the session's time zone if the frozen rows depend on it, else an empty text."""
    if found.frozen is None:
        return ""
    condition, types = found.frozen.condition, types_of_state(found)
    compared = {types[name] for name in used_columns(condition)}
    compared |= {to_sql(cast.to).lower() for cast in condition.find_all(exp.Cast)}
    return found.session.get(ZONE, "") if "timestamp" in compared else ""


def _check_zone(request: Request, recorded: str, before: str, now: str) -> None:
    if not request.full_refresh:
        raise RefusedError(
            f"frozen_where is {recorded!r} and was recorded with {ZONE}={before}; with {now}, it "
            "freezes other rows. Restore the time zone, or run with --full-refresh to compute the "
            "rows that it frees."
        )


def _is_recorded(found: Findings, before: Watermark) -> bool:
    """Return whether the condition reads the same columns of the state as the recorded one."""
    return found.frozen is None or to_sql(found.frozen.condition) == before.frozen_on


def _covers(query: Query, found: Findings, frozen: Frozen, before: Watermark) -> bool:
    """Return whether every row that was frozen under the recorded condition certainly still is.

    A state that stays has the columns that the condition was recorded over. For one that is
    rebuilt for another query, the columns of the view count.
    """
    try:
        if found.known:
            old = exp.condition(before.frozen_on, dialect=session_dialect(found))
        else:
            rows = frozen_rows(before.frozen, frozen.layout, found.facts, session_dialect(found))
            assert rows is not None
            old = rows.condition
    except (ConfigError, SqlglotError):
        return False
    condition = covering(frozen.condition, old, types_of_state(found))
    if condition is None:
        return False
    if condition == exp.true():
        return True
    (row,) = query(to_sql(exp.select(exp.alias_(condition, "covers"))))
    return row["covers"] is True


def _check_condition(query: Query, frozen: Frozen, types: dict[str, str]) -> None:
    """Raise RefusedError unless Spark takes the condition, and can't fail on any row."""
    row = exp.select(
        *(exp.alias_(cast_as(exp.null(), kind), name, quoted=True) for name, kind in types.items())
    )
    sql = to_sql(exp.select(exp.alias_(frozen.condition.copy(), "frozen")).from_(row.subquery("r")))
    try:
        (described,) = query(f"describe query {sql}")
        constants = _texts_as_values(frozen.condition, types)
        read = query(to_sql(exp.select(*constants))) if constants else []
    except DbtDatabaseError as error:
        if not says_condition(error):
            raise
        raise RefusedError(
            f"frozen_where is {frozen.text!r}, which Spark does not take: {first_line(error)}"
        ) from error
    if described["data_type"] != "boolean":
        raise RefusedError(
            f"frozen_where is {frozen.text!r}, which is a value of type {described['data_type']}; "
            "it must be true or false for a row."
        )
    if any(value is None for row in read for value in row.values()):
        raise RefusedError(
            f"frozen_where is {frozen.text!r}, which Spark does not take: a text is no "
            "value of its column's type."
        )
    if not cannot_raise(frozen.condition, types):
        raise RefusedError(
            f"frozen_where is {frozen.text!r}; it may only compare columns with constants and with "
            "each other, so that it never fails and always means the same."
        )


def check_place(request: Request) -> None:
    """Raise RefusedError if the run would drop what may be the only copy of frozen rows."""
    if request.occupied_by and request.config.frozen_where:
        raise RefusedError(
            f"{request.occupied_by} is in the place of the state {request.state}, and may have its "
            "frozen rows. Make it a Delta table of the same rows, or rename or drop it."
        )


def _texts_as_values(condition: exp.Expr, types: Mapping[str, str]) -> list[exp.Expr]:
    """Return the texts that a condition compares with other columns, cast to their types."""
    found: list[exp.Expr] = []
    for compared in condition.find_all(exp.Binary, exp.Between, exp.In):
        parts = list(compared.iter_expressions())
        kinds = {types.get(part.name) for part in parts if isinstance(part, exp.Column)}
        texts = [part for part in parts if isinstance(part, exp.Literal) and part.is_string]
        for kind in sorted(k for k in kinds if k and "<" not in k and k not in _TEXTS):
            found += (cast_as(text.copy(), kind) for text in texts)
    return [exp.alias_(value, f"c{place}") for place, value in enumerate(found)]


def without_frozen_changes(
    query: Query, state: str, history: StateHistory, frozen: Frozen | None, types: Mapping[str, str]
) -> StateHistory:
    """Return a state's history that passes over the user's own changes of its frozen rows.

    It is the same history if others have changed other rows as well, or if that can't be told.

    Args:
        query: sends a statement.
        state: quoted name.
        history: of the state.
        frozen: its frozen rows, None if it has none.
        types: Spark types of its columns.
    """
    first, last = history.refreshed, history.version
    if not history.modified or frozen is None or first is None or last is None:
        return history
    if history.reshaped:
        return history
    feed = Scan(state, STATE, tuple((name, name) for name in types), At.CHANGES)
    others = Project(Filter(feed, frozen.is_live), passed(list(types)[:1]))
    one = exp.Literal.number(1)
    bind = Versions({state: first + 1}, {state: last}).bind
    try:
        changed = query(to_sql(render(Limit(others, one), bind)))
    except DbtDatabaseError as error:
        if not says_condition(error):
            raise
        return history
    return history if changed else replace(history, modified="")


def frozen_changes(found: Findings, plan: Plan, versions: Versions) -> str:
    """Return the query for how many frozen rows would change, in the column `COUNTED`.

    It is empty if there are none.

    Args:
        found: the findings of an incremental refresh.
        plan: the same refresh.
        versions: at which it reads its sources.
    """
    part = None if found.frozen is None else found.frozen.part
    moved = {name: r.rows for name, r in plan.ranges.items() if r.moved}
    if part is None or not moved:
        return ""
    facts = found.source_facts(plan.watermark)
    change = Derivation(part, facts).over(frozenset(moved))
    relations, left = optimized(change, Known({n: 2 * r for n, r in moved.items()}, facts))
    query = render(changed_rows(part, left), versions.bind)
    for relation in relations:
        query = query.with_(relation.name, as_=render(relation.relation, versions.bind), copy=False)
    return to_sql(query, pretty=True)


def session_dialect(found: Findings) -> str:
    """Return sqlglot's dialect of the session."""
    return dialect_of(result_settings(found.session))


def types_of_state(found: Findings) -> dict[str, str]:
    """Return Spark's types of the columns of a state."""
    return stored_types(found.layout, found.facts.types, found.facts.outputs)
