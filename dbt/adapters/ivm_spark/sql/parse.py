"""Parses compiled SQL into a syntax tree whose tables are known relations, with views expanded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import traverse_scope

from dbt.adapters.ivm_spark.algebra.catalog import (
    Catalog,
    Relation,
    RelationKind,
    name_parts,
    relation_key,
    relation_name,
)
from dbt.adapters.ivm_spark.algebra.dialect import IvmSpark, to_sql
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode, not_supported
from dbt.adapters.ivm_spark.algebra.traversal import not_too_deep, too_many_tables
from dbt.adapters.ivm_spark.sql.prepare import prepare
from dbt.adapters.ivm_spark.sql.user_functions import expand, names_called

MAX_VIEW_DEPTH = 32
MAX_TABLES = 1000
"""The most places where a table or a view may be read, after views are expanded. Views on views may
multiply the places."""

_TEXTS = 256
"""The number of texts whose trees are cached: texts of models and of the views that they read."""

_COLUMNS_ONLY = (
    exp.Select,
    exp.From,
    exp.Table,
    exp.TableAlias,
    exp.Alias,
    exp.Column,
    exp.Star,
    exp.Identifier,
)


@dataclass(frozen=True)
class Parsed:
    """A query over tables that are named __ivm_t0, __ivm_t1, and so on.

    Do not use the query while `missing` has names: describe these relations and parse again.

    Attributes:
        query: the query.
        tables: the relation behind each table's name.
        missing: the names of relations that the catalog does not have.
    """

    query: exp.Query
    tables: dict[str, Relation]
    missing: tuple[str, ...]


def parse(sql: str, catalog: Catalog, dialect: str = "ivmspark") -> Parsed:
    """Parse a query and expand the views it reads.

    Raises NotMaintained: QUERY_NOT_UNDERSTOOD if sqlglot can't read the text;
    OPERATOR_NOT_SUPPORTED for time travel, samples, table functions, a query that is nested too
    deep, and a query that reads too many tables.
    """
    with not_too_deep():
        expansion = _Expansion(catalog, dialect)
        query = expansion.expanded(_query(sql, dialect), catalog.schema, 0, ())
        return Parsed(query, expansion.tables, tuple(dict.fromkeys(expansion.missing)))


@lru_cache(maxsize=_TEXTS)
def tables_read(sql: str, dialect: str = "ivmspark") -> tuple[tuple[str, ...], ...]:
    """Return the name parts of each table and view that a text reads, without following views.

    Raises NotMaintained, see `parse`.
    """
    with not_too_deep():
        tables = _real_tables(_read(sql, dialect)[0])
    for table in tables:
        _check_table(table)
    return tuple(dict.fromkeys(map(name_parts, tables)))


@lru_cache(maxsize=_TEXTS)
def functions_called(sql: str, dialect: str = "ivmspark") -> tuple[tuple[str, ...], ...]:
    """Return the name parts of each function that a text calls and that is not Spark's own.

    Views and functions are not followed. Raises NotMaintained, see `parse`.
    """
    return names_called(_read(sql, dialect)[0])


def _query(sql: str, dialect: str) -> exp.Query:
    return _read(sql, dialect)[0].copy()


def labels(sql: str, dialect: str = "ivmspark") -> tuple[str, ...]:
    """Return the names of a text's columns as written; a column without a name has an empty one.

    Raises NotMaintained, see `parse`.
    """
    return _read(sql, dialect)[1]


@lru_cache(maxsize=_TEXTS)
def _read(sql: str, dialect: str) -> tuple[exp.Query, tuple[str, ...]]:
    """Return a text's tree and its labels.

    The result is cached, because a plan reads each text several times. Do not change the tree.
    """
    try:
        statements = [s for s in sqlglot.parse(sql, dialect=dialect) if s is not None]
    except SqlglotError as error:
        first_line = str(error).splitlines()[0]
        raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, first_line) from error
    if len(statements) != 1 or not isinstance(statements[0], exp.Query):
        raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, "not one query")
    named = tuple(statements[0].named_selects)
    prepare(statements[0])
    return statements[0], named


class _Expansion:
    """Replaces a query's tables with relations, numbers them, and notes the unknown ones."""

    def __init__(self, catalog: Catalog, dialect: str) -> None:
        self._catalog = catalog
        self._dialect = dialect
        self._places = 0
        self.tables: dict[str, Relation] = {}
        self.missing: list[str] = []

    def expanded(
        self,
        query: exp.Query,
        namespace: tuple[str, ...],
        depth: int,
        functions: tuple[str, ...],
    ) -> exp.Query:
        """Return a query with its views and functions expanded, in place.

        `functions` is the namespace of its functions: empty for the model's own text, which may
        call temporary ones.
        """
        if depth > MAX_VIEW_DEPTH:
            raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, "views nested too deep")
        expand(query, self._catalog, functions)
        for table in _real_tables(query):
            self._places += 1
            if self._places > MAX_TABLES:
                raise too_many_tables(MAX_TABLES)
            _check_table(table)
            name = relation_name(name_parts(table), namespace)
            relation = self._catalog.relations.get(relation_key(name))
            if relation is None:
                self.missing.append(name)
                continue
            known = self._known(table, relation, depth)
            known.set("pivots", table.args.get("pivots"))
            table.replace(known)
        return query

    def _known(self, table: exp.Table, relation: Relation, depth: int) -> exp.Expr:
        alias, written = table.alias_or_name, table.args.get("alias")
        if relation.kind is not RelationKind.VIEW:
            return _as_table(_number(relation, self.tables), alias, written)
        text = _query(relation.text, self._dialect)
        return _as_subquery(
            self.expanded(text, relation.namespace, depth + 1, relation.namespace),
            relation,
            alias,
            written,
        )


def _real_tables(query: exp.Query) -> list[exp.Table]:
    found: dict[int, exp.Table] = {}
    try:
        for scope in traverse_scope(query):
            for source in scope.sources.values():
                if isinstance(source, exp.Table) and not _is_cte(source, scope.cte_sources):
                    found[id(source)] = source
    except SqlglotError as error:
        raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, str(error)) from error
    return list(found.values())


def _is_cte(table: exp.Table, ctes: Mapping[str, object]) -> bool:
    """Return whether a table is a CTE under a PIVOT, which sqlglot takes for a table."""
    return bool(table.args.get("pivots")) and not table.db and table.name in ctes


def _check_table(table: exp.Table) -> None:
    if not isinstance(table.this, exp.Identifier):
        raise not_supported(f"the table function {to_sql(table.this)}")
    known = {"this", "db", "catalog", "alias", "joins", "laterals", "pivots"}
    for key, value in table.args.items():
        if value and key not in known:
            raise not_supported(f"{key} on the table {table.name}")


def _number(relation: Relation, tables: dict[str, Relation]) -> str:
    for number, known in tables.items():
        if known is relation:
            return number
    number = f"__ivm_t{len(tables)}"  # no CTE of the query has this name
    tables[number] = relation
    return number


def _alias(name: str, written: exp.Expr | None) -> exp.TableAlias:
    columns = written.args.get("columns") if written is not None else None
    return exp.TableAlias(this=exp.to_identifier(name, quoted=True), columns=columns)


def _as_table(number: str, alias: str, written: exp.Expr | None) -> exp.Table:
    return exp.Table(this=exp.to_identifier(number), alias=_alias(alias, written))


def _as_subquery(
    body: exp.Query, relation: Relation, alias: str, written: exp.Expr | None
) -> exp.Subquery:
    """Return a view as a subquery that renames the output columns of its text.

    The subquery takes these columns by name and gives them the view's names.
    """
    names = [name for name, _ in relation.columns]
    inner = exp.Subquery(this=body, alias=exp.TableAlias(this=exp.to_identifier("v", quoted=True)))
    if len({c.lower() for c in relation.text_columns}) == len(names):
        items = [
            exp.alias_(exp.column(text, table="v", quoted=True), name, quoted=True, copy=False)
            for text, name in zip(relation.text_columns, names, strict=True)
        ]
    else:
        inner.args["alias"].set("columns", [exp.to_identifier(n, quoted=True) for n in names])
        items = [exp.column(name, table="v", quoted=True) for name in names]
    return exp.Subquery(this=exp.select(*items).from_(inner), alias=_alias(alias, written))


def has_columns_only(text: str) -> bool:
    """Return whether a query is a SELECT of columns, renamed or not, from one relation.

    No session setting changes the rows of such a query.
    """
    try:
        query = sqlglot.parse_one(text, dialect=IvmSpark)
    except SqlglotError:
        return False
    one = isinstance(query, exp.Select) and not query.args.get("distinct")
    return one and all(isinstance(node, _COLUMNS_ONLY) for node in query.walk())
