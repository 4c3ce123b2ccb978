"""Finds every relation that a query reads, following views, and every function that it calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from dbt_common.exceptions import DbtDatabaseError
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.catalog import (
    Catalog,
    Function,
    Relation,
    RelationKind,
    function_key,
    relation_key,
    relation_name,
)
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained
from dbt.adapters.ivm_spark.session.condition import is_taken, says_condition
from dbt.adapters.ivm_spark.source.binding import with_changes
from dbt.adapters.ivm_spark.source.reader import Query, SourceReader
from dbt.adapters.ivm_spark.source.version_range import Head
from dbt.adapters.ivm_spark.sql.parse import functions_called, tables_read
from dbt.adapters.ivm_spark.sql.user_functions import body_of, names_called


def with_tracking(query: Query, relation: Relation, head: Head) -> Head:
    """Return the head of a source that says whether Spark finds changed rows by the rows' ids.

    Spark is asked only if the table tracks its rows and has no change feed.
    """
    if head.feed or not relation.tracked:
        return head
    rows = exp.select(exp.Literal.number(1)).from_(
        with_changes(relation.name, head.version, head.version)
    )
    return replace(head, tracked=is_taken(query, f"describe query\n{to_sql(rows)}"))


def described_function(reader: SourceReader, name: str) -> Function:
    """Return a function by its quoted name; nothing is known of one that Spark does not find."""
    try:
        return reader.function(name)
    except DbtDatabaseError as error:
        if not says_condition(error):
            raise
        return Function(name)


def catalog_of(
    sql: str,
    describe: Callable[[str], Relation],
    describe_function: Callable[[str], Function] = Function,
    trusted: Iterable[str] = (),
) -> tuple[Catalog, list[str]]:
    """Return what a query reads and calls, and the names of its sources whose changes show.

    `describe` returns a relation by its quoted name, and `describe_function` a function that is not
    Spark's own; their exceptions pass through. `trusted` are the functions that the user says to be
    deterministic. A query that can't be read has no sources.
    """
    catalog = Catalog(trusted=frozenset(name.lower() for name in trusted))
    texts: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = [(sql, catalog.schema, ())]
    for text, namespace, functions in texts:
        try:
            read, called = tables_read(text), functions_called(text)
        except NotMaintained:
            return catalog, []
        _add_functions(catalog, called, functions, describe_function)
        for name in (relation_name(parts, namespace) for parts in read):
            if relation_key(name) not in catalog.relations:
                relation = catalog.relations[relation_key(name)] = describe(name)
                if relation.kind is RelationKind.VIEW:
                    texts.append((relation.text, relation.namespace, relation.namespace))
    return catalog, sorted(r.name for r in catalog.relations.values() if r.tells_changes)


def _add_functions(
    catalog: Catalog,
    called: Iterable[tuple[str, ...]],
    namespace: tuple[str, ...],
    describe: Callable[[str], Function],
) -> None:
    """Add the functions that a text calls, and those that their bodies call."""
    for key in (function_key(parts, namespace) for parts in called):
        if key in catalog.functions:
            continue
        function = catalog.functions[key] = describe(key)
        if function.body:
            try:
                names = names_called(body_of(function))
            except NotMaintained:
                continue
            _add_functions(catalog, names, function.namespace, describe)
