"""What there is to know of a model's query: its view tree and layout, or why it has none."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import sqlglot
from sqlglot import exp

from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.estimate.outlay import operators
from dbt.adapters.ivm_spark.state.layout import Layout, layout
from dbt.adapters.ivm_spark.view.build import View, build_view
from dbt.adapters.ivm_spark.view.catalog import Catalog, RelationKind
from dbt.adapters.ivm_spark.view.dialect import dialect_name
from dbt.adapters.ivm_spark.view.expressions import function_name
from dbt.adapters.ivm_spark.view.fingerprint import (
    fingerprint,
    fingerprint_text,
    used_types,
)
from dbt.adapters.ivm_spark.view.functions import (
    AGGREGATES,
    GENERATORS,
    NOT_DETERMINISTIC,
    SCALARS,
    WINDOWS,
)
from dbt.adapters.ivm_spark.view.parse import parse
from dbt.adapters.ivm_spark.view.reasons import NotMaintained, Reason, not_supported
from dbt.adapters.ivm_spark.view.size import not_too_deep
from dbt.adapters.ivm_spark.view.tree import Node
from dbt.adapters.ivm_spark.view.walk import walk

MAX_OPERATORS = 500
"""Different operators in a delta above which it is not used."""
MAX_REPEATED = 50_000
"""Operators with their repetitions: each outer join, EXISTS or aggregate below another operator
repeats the delta below it two or three times before what is repeated is shared."""
CASE_SENSITIVE = "spark.sql.caseSensitive"


@dataclass(frozen=True)
class Reading:
    """A query as read: view is None where `lasting` says why it is not maintained.

    repeatable: the same sources give the same result, as far as is certain.
    """

    fingerprint: str
    view: View | None
    lasting: Reason | None
    repeatable: bool

    @property
    def used(self) -> dict[str, frozenset[str]]:
        """The columns that a maintained query reads of its sources."""
        if self.view is None or self.lasting is not None:
            return {}
        return {
            name: frozenset(column for column, _ in used_types(self.view, relation))
            for name, relation in self.view.sources.items()
        }


def read(sql: str, catalog: Catalog, settings: dict[str, str]) -> Reading:
    """Read a model's query. Never raises for a query that is not maintained."""
    dialect = dialect_of(settings)
    try:
        view = build_view(sql, catalog, dialect)
        with not_too_deep():
            found = fingerprint(view, _labels(sql, dialect), settings)
    except NotMaintained as error:
        views = [r for r in catalog.relations.values() if r.kind is RelationKind.VIEW]
        text = fingerprint_text(sql, settings, views)
        return Reading(text, None, error.reason, _repeatable(sql, catalog, dialect))
    return Reading(found, view, None, True)


def lay_out(view: View, types: dict[str, str], state: str, append: bool = False) -> Layout:
    """The layout of a view's state, once Spark has said the types of `probe`; append: its changes
    are to be appended.

    Raises NotMaintained where the state or the delta has no rule.
    """
    with not_too_deep():
        planned = layout(view.root, types, state, append)
        change = delta(planned.input, Context(frozenset(view.sources)))
        if change is not None and _too_large(change):
            raise not_supported(f"a change of more than {MAX_OPERATORS} operators")
        return planned


def _too_large(change: Node) -> bool:
    if len(list(islice(walk(change), MAX_REPEATED))) == MAX_REPEATED:
        return True
    return operators(change) > MAX_OPERATORS


def dialect_of(settings: dict[str, str]) -> str:
    """sqlglot's dialect under the session's case sensitivity."""
    return dialect_name(settings.get(CASE_SENSITIVE, "false").lower() == "true")


def _labels(sql: str, dialect: str) -> tuple[str, ...]:
    query = sqlglot.parse_one(sql, dialect=dialect)
    return tuple(query.named_selects) if isinstance(query, exp.Query) else ()


def _repeatable(sql: str, catalog: Catalog, dialect: str) -> bool:
    """True when every source is known and in Delta, and every function of the query and of the
    views it reads is known and deterministic."""
    try:
        parsed = parse(sql, catalog, dialect)
    except NotMaintained:
        return False
    if parsed.missing or any(r.kind is not RelationKind.DELTA for r in parsed.tables.values()):
        return False
    known = AGGREGATES | GENERATORS | SCALARS | WINDOWS
    for node in parsed.query.walk():
        name = function_name(node)
        if isinstance(node, (exp.TableSample, exp.Limit, exp.CurrentDate, exp.CurrentTimestamp)):
            return False
        if name is not None and (name in NOT_DETERMINISTIC or name not in known):
            return False
    return True
