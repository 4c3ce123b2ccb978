"""Reads a model's query: its view tree and layout, or why it has none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dbt.adapters.ivm_spark.algebra.catalog import Catalog, RelationKind
from dbt.adapters.ivm_spark.algebra.closed import check_closed
from dbt.adapters.ivm_spark.algebra.columns import tree_expressions
from dbt.adapters.ivm_spark.algebra.dialect import dialect_name
from dbt.adapters.ivm_spark.algebra.functions import temporary_call
from dbt.adapters.ivm_spark.algebra.reasons import (
    NotMaintained,
    Reason,
    ReasonCode,
    not_supported,
)
from dbt.adapters.ivm_spark.algebra.traversal import not_too_deep
from dbt.adapters.ivm_spark.algebra.tree import Node
from dbt.adapters.ivm_spark.analysis.repeatability import reads_only_sources
from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.plan.refusals import own_defects
from dbt.adapters.ivm_spark.plan.result_settings import (
    REGEX_COLUMNS,
    differing,
    result_settings,
)
from dbt.adapters.ivm_spark.plan.work import operators
from dbt.adapters.ivm_spark.sql.build import View, build_view
from dbt.adapters.ivm_spark.sql.fingerprint import (
    felt,
    fingerprint,
    fingerprint_text,
    used_types,
)
from dbt.adapters.ivm_spark.sql.parse import has_columns_only, labels, parse
from dbt.adapters.ivm_spark.sql.scans import columns_read
from dbt.adapters.ivm_spark.state.layout import Layout, layout

MAX_OPERATORS = 8000
"""Operators in the statements of a delta above which a refresh does not use it. Twenty left joins
in a row have about a thousand."""
FAR_OPERATORS = 2000
"""The same where Spark runs in other processes. There the plan of a relation over materialized
relations contains their plans, so it grows much faster than the number of operators."""
CASE_SENSITIVE = "spark.sql.caseSensitive"


@dataclass(frozen=True)
class Reading:
    """A query as read.

    Attributes:
        fingerprint: the query's fingerprint.
        view: the view's tree, None if the query can't be read as one.
        unsupported_reason: why the query is not maintained, None if it is.
        repeatable: the same rows of the sources certainly give the same result. For a query that is
            not maintained, this is known once the query is examined.
    """

    fingerprint: str
    view: View | None
    unsupported_reason: Reason | None
    repeatable: bool

    @property
    def used(self) -> dict[str, frozenset[str]]:
        """Return the columns that a maintained query reads of its sources."""
        if self.view is None or self.unsupported_reason is not None:
            return {}
        return {
            name: frozenset(column for column, _ in used_types(self.view, relation))
            | columns_read(self.view.root, name)
            for name, relation in self.view.sources.items()
        }


def read(sql: str, catalog: Catalog, session: Mapping[str, str]) -> Reading:
    """Return a model's query as read.

    `session` holds the session's settings, those of `RESOLVED` among them. The function never
    raises for a query that is not maintained.
    """
    settings = result_settings(session)
    dialect = dialect_of(settings)
    try:
        _check_settings(catalog, session)
        with own_defects():
            view = build_view(sql, catalog, dialect)
        with not_too_deep():
            found = fingerprint(view, labels(sql, dialect), settings)
    except NotMaintained as error:
        text = fingerprint_text(
            sql, settings, catalog.relations.values(), catalog.functions.values()
        )
        return Reading(text, None, error.reason, repeatable=False)
    return Reading(found, view, None, repeatable=True)


def _check_settings(catalog: Catalog, session: Mapping[str, str]) -> None:
    """Raise NotMaintained if the session's settings change how Spark reads the query.

    They do if quoted names are patterns, or if Spark reads a view or an SQL function under other
    settings than the session's.
    """
    if session.get(REGEX_COLUMNS, "false").lower() == "true":
        raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, f"{REGEX_COLUMNS} is true")
    for relation in catalog.relations.values():
        if relation.kind is RelationKind.VIEW:
            keys = _differing(relation.settings, session, relation.text)
            if keys and not has_columns_only(relation.text):
                detail = f"{relation.name}: {', '.join(keys)}"
                raise NotMaintained(ReasonCode.VIEW_SETTINGS_DIFFER, detail)
    for function in catalog.functions.values():
        keys = _differing(function.settings, session, function.body) if function.body else []
        if keys:
            detail = f"{function.name}(): {', '.join(keys)}"
            raise NotMaintained(ReasonCode.VIEW_SETTINGS_DIFFER, detail)


def _differing(
    settings: Iterable[tuple[str, str]], session: Mapping[str, str], text: str
) -> list[str]:
    """Return the settings that a text was created under and that may change its rows now."""
    return differing(felt(dict(settings), (text,)), felt(dict(session), (text,)))


def may_be_repeatable(sql: str, catalog: Catalog, settings: Mapping[str, str]) -> bool:
    """Return whether a query's text may depend on nothing but rows whose changes show.

    The texts of the views that it reads count too. Spark's plan has the last word: see
    `plan_reads_only_sources`.
    """
    try:
        parsed = parse(sql, catalog, dialect_of(settings))
    except NotMaintained:
        return False
    tables = parsed.tables.values()
    if parsed.missing or not all(relation.tells_changes for relation in tables):
        return False
    return reads_only_sources(parsed.query)


def lay_out(
    view: View,
    types: dict[str, str],
    state: str,
    append: bool = False,
    *,
    checked: bool = False,
    most: int = MAX_OPERATORS,
) -> Layout:
    """Return the layout of a view's state.

    Args:
        view: the view.
        types: Spark's types of the columns of `probe`.
        state: the quoted name of the state.
        append: changes are to be appended.
        checked: this version of the package has found a delta before.
        most: the operators that the statements of a delta may have.

    Raises NotMaintained if the state or the delta has no rule.
    """
    with not_too_deep():
        planned = layout(view.root, types, state, append, view.above)
        _check_permanent(planned.top)
        if checked:
            return planned
        change = delta(planned.input, Context(frozenset(view.sources)))
        if change is not None:
            if operators(change) > most:
                raise not_supported(f"a change of more than {most} operators")
            check_closed(change)
        return planned


def _check_permanent(top: Node) -> None:
    """Raise NotMaintained if the view over the state would call a temporary function."""
    for expression in tree_expressions(top):
        call = temporary_call(expression)
        if call is not None:
            raise not_supported(f"{call.name}(), a temporary function, above the stored rows")


def dialect_of(settings: Mapping[str, str]) -> str:
    """Return sqlglot's dialect for the session's case sensitivity."""
    return dialect_name(settings.get(CASE_SENSITIVE, "false").lower() == "true")
