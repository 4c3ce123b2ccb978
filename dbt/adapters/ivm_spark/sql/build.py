"""Builds the view tree of a query: sqlglot qualifies names, then clauses become operators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.schema import MappingSchema

from dbt.adapters.ivm_spark.algebra.catalog import Catalog, Relation
from dbt.adapters.ivm_spark.algebra.clock import clock_constants
from dbt.adapters.ivm_spark.algebra.closed import check_closed
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.functions import AGGREGATES
from dbt.adapters.ivm_spark.algebra.pruning import prune
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode, not_supported
from dbt.adapters.ivm_spark.algebra.traversal import not_too_deep, too_many_tables
from dbt.adapters.ivm_spark.algebra.tree import Node, Scan
from dbt.adapters.ivm_spark.sql.block import Built, Ctes, rename
from dbt.adapters.ivm_spark.sql.environment import Environment
from dbt.adapters.ivm_spark.sql.generators import lift_generators
from dbt.adapters.ivm_spark.sql.names import Names
from dbt.adapters.ivm_spark.sql.parse import MAX_TABLES, Parsed, parse
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.repeated_names import with_stars_expanded
from dbt.adapters.ivm_spark.sql.rewrite.rules import rewritten
from dbt.adapters.ivm_spark.sql.scans import bind_plain
from dbt.adapters.ivm_spark.sql.select import build_select
from dbt.adapters.ivm_spark.sql.setop import build_set_op
from dbt.adapters.ivm_spark.sql.values import check_folded


@dataclass(frozen=True)
class View:
    """A query that has been read.

    Attributes:
        written: the tree as written.
        root: the same relation in operators that are maintained.
        sources: the relations that the query reads, by quoted name.
        clock: the constants of `root` that are the current time or computed from it.
        above: how many operators of `root` are above the part that the state stores, None if the
            tree tells. A state that was kept for a changed query stores what the former one did.
    """

    written: Node
    root: Node
    sources: dict[str, Relation]
    clock: tuple[exp.Expr, ...] = ()
    above: int | None = None

    @cached_property
    def text(self) -> str:
        """Return the tree as written, as SQL."""
        return to_sql(render(self.written, bind_plain), owned=True)

    @cached_property
    def nested_text(self) -> str:
        """Return the same with a table of its own for each computation below others.

        Some of Spark's rules look at the operators as they were written, so its plan for one form
        or the other may be that for the user's text.
        """
        return to_sql(render(self.written, bind_plain, nested=True), owned=True)


def build_view(sql: str, catalog: Catalog, dialect: str = "ivmspark") -> View:
    """Return the view tree of a query.

    Every relation that the query reads must be in the catalog. Raises NotMaintained with the reason
    if the query, or a part of it, is not understood or has no operator in the tree.
    """
    parsed = parse(sql, catalog, dialect)
    if parsed.missing:
        raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, f"no relation {parsed.missing[0]}")
    for relation in parsed.tables.values():
        if not relation.is_read_exactly:
            form = f", {relation.format}" if relation.format else ""
            raise NotMaintained(ReasonCode.INPUT_NOT_IN_DELTA, f"{relation.name}{form}")
    with not_too_deep():
        query = _qualify(parsed, dialect)
        written = prune(Builder(parsed.tables, _folding(dialect)).query(query, {}).node)
        check_folded(written)
        root = rewritten(written)
        check_closed(written)
        check_closed(root)
        sources = {r.name: r for r in parsed.tables.values()}
        return View(written, root, sources, clock_constants(root))


def _folding(dialect: str) -> Callable[[str], str]:
    return str if "case_sensitive" in dialect else str.lower


def _qualify(parsed: Parsed, dialect: str) -> exp.Query:
    fold = _folding(dialect)
    mapping: dict[str, object] = {
        number: {fold(name): kind for name, kind in relation.columns}
        for number, relation in parsed.tables.items()
    }
    given = _marked(lift_generators(parsed.query, parsed.tables))

    def qualified(query: exp.Query, validate: bool) -> exp.Query:
        schema = MappingSchema(mapping, dialect=dialect, normalize=False)
        return qualify(query, dialect=dialect, schema=schema, validate_qualify_columns=validate)

    try:
        query = with_stars_expanded(given, qualified)
    except SqlglotError as error:
        first_line = str(error).splitlines()[0]
        raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, first_line) from error
    return _unmarked(query)


def _marked(query: exp.Query) -> exp.Query:
    """Return the query, changed in place, with its aggregate calls as sqlglot's own.

    The dialect reads functions as unknown calls (see `dialect`). If `b` is also the name of an
    output, sqlglot must know that HAVING sum(b) reads the input's column b.
    """
    return _swapped(query, exp.Anonymous, exp.AnonymousAggFunc)


def _unmarked(query: exp.Query) -> exp.Query:
    """Return the query, changed in place, with its aggregate calls as other packages know them."""
    return _swapped(query, exp.AnonymousAggFunc, exp.Anonymous)


def _swapped(query: exp.Query, old: type[exp.Func], new: type[exp.Func]) -> exp.Query:
    for call in [node for node in query.find_all(old) if node.name.lower() in AGGREGATES]:
        call.replace(new(this=call.this, expressions=call.expressions))
    return query


class Builder:
    """Builds query blocks. Each tree has its own instance, so its names are unique."""

    def __init__(self, tables: dict[str, Relation], fold: Callable[[str], str]) -> None:
        self._tables = tables
        self._fold = fold
        self.names = Names()
        self._places = 0
        self.sources = {relation.name: relation for relation in tables.values()}

    def query(self, query: exp.Expr, ctes: Ctes, outer: Environment | None = None) -> Built:
        """Return the tree of a query block.

        ctes: the common table expressions in scope. outer: the scope of the outer block of a
        subquery.
        """
        if isinstance(query, exp.Subquery):
            _only(query, {"this", "alias", "with_"})
            return self.query(query.this, self._with(query, ctes), outer)
        if isinstance(query, exp.Select):
            return build_select(self, query, self._with(query, ctes), outer)
        if isinstance(query, exp.SetOperation):
            return build_set_op(self, query, self._with(query, ctes), outer)
        raise not_supported(type(query).__name__.upper())

    def scan(self, table: exp.Table) -> Built:
        """Return the scan of a source table under its alias."""
        self._places += 1
        if self._places > MAX_TABLES:
            raise too_many_tables(MAX_TABLES)
        relation = self._tables[table.name]
        alias = self.names.unique(table.alias_or_name)
        fields = tuple((self.names.unique(f"{alias}_{n}"), n) for n, _ in relation.columns)
        outputs = tuple((self._fold(name), unique) for unique, name in fields)
        return Built(Scan(relation.name, alias, fields), outputs)

    def _with(self, query: exp.Expr, ctes: Ctes) -> Ctes:
        clause = query.args.get("with_")
        if clause is None:
            return ctes
        if clause.args.get("recursive"):
            raise not_supported("a recursive CTE")
        seen = dict(ctes)
        for cte in clause.expressions:
            seen[cte.alias] = self._cte(cte, dict(seen))
        return seen

    def _cte(self, cte: exp.CTE, seen: Ctes) -> Callable[[], Built]:
        def build() -> Built:
            return rename(self.query(cte.this, seen), cte.args.get("alias"))

        return build


def _only(node: exp.Expr, known: set[str]) -> None:
    for key, value in node.args.items():
        if value and key not in known:
            raise not_supported(f"{key} on a subquery")
