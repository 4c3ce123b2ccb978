"""The pure rooms on DuckDB: sources, change windows and states as plain tables, no JVM.

What Spark would be asked, DuckDB is: the fill, the MERGE and the view are the product's own trees,
written in DuckDB's SQL. A source `t` is the table `t` (its new rows) and the table `t__changes`
(rows with a weight).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import duckdb
import sqlglot
from sqlglot import exp

from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.guards import check_types
from dbt.adapters.ivm_spark.delta.ranges import (
    Answer,
    Question,
    answered,
    open_questions,
    questions_sql,
)
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.delta.within import BIG_ROWS, SourceFacts
from dbt.adapters.ivm_spark.refresh.analysis import lay_out
from dbt.adapters.ivm_spark.state.fill import fill
from dbt.adapters.ivm_spark.state.layout import Layout, probe
from dbt.adapters.ivm_spark.state.merge import Merge, merge
from dbt.adapters.ivm_spark.state.visible import visible_query
from dbt.adapters.ivm_spark.view.bound import Bound
from dbt.adapters.ivm_spark.view.build import View, build_view
from dbt.adapters.ivm_spark.view.catalog import Catalog, Relation, RelationKind, relation_key
from dbt.adapters.ivm_spark.view.plain import bind_plain
from dbt.adapters.ivm_spark.view.render import render
from dbt.adapters.ivm_spark.view.tree import WEIGHT, At, Scan

STATE = "`main`.`v__ivm`"
_TYPES = {
    "integer": "int",
    "hugeint": "bigint",
    "varchar": "string",
    "boolean": "boolean",
    "date": "date",
}
_NULLS = {"lag": exp.Lag, "first_value": exp.FirstValue, "last_value": exp.LastValue}
"""Functions that sqlglot writes with IGNORE NULLS only if it knows them."""


@dataclass(frozen=True)
class Table:
    """A source: its name and its columns with Spark types that DuckDB has too."""

    name: str
    columns: tuple[tuple[str, str], ...]

    @property
    def relation(self) -> Relation:
        return Relation(f"`main`.`{self.name}`", RelationKind.DELTA, self.columns)


class Engine:
    """Sources, one view and its state in one DuckDB database."""

    def __init__(self, tables: Iterable[Table]) -> None:
        self.tables = {table.name: table for table in tables}
        self.rows: dict[str, Counter[tuple[Any, ...]]] = {n: Counter() for n in self.tables}
        self.connection = duckdb.connect(":memory:")
        # DuckDB 2.0.0 loses rows of a RIGHT JOIN from an empty left table under a later filter.
        self.connection.execute("set disabled_optimizers = 'statistics_propagation'")
        self.catalog = Catalog(
            {relation_key(t.relation.name): t.relation for t in self.tables.values()}, ("main",)
        )
        for table in self.tables.values():
            columns = ", ".join(f'"{n}" {_duck_type(t)}' for n, t in table.columns)
            self.connection.execute(f"create table {table.name} ({columns})")
            self.connection.execute(f"create table {table.name}__changes ({columns}, w integer)")

    def read(self, sql: str) -> tuple[View, Layout, dict[str, str]]:
        """The view of a query and its layout. Raises NotMaintained."""
        view = build_view(sql, self.catalog)
        types = self._types(render(probe(view.root), bind_plain))
        layout = lay_out(view, types, STATE)
        check_types(layout.input, lambda node: self._types(render(node, bind_plain)))
        return view, layout, types

    def build(self, layout: Layout) -> None:
        query = duck(render(fill(layout), bind))
        self.connection.execute(f'create or replace table "v__ivm" as {query}')

    def change(self, name: str, plus: list[tuple[Any, ...]], minus: list[tuple[Any, ...]]) -> None:
        """Add a window to a source's change table and apply it to the source."""
        for row in plus:
            self.rows[name][row] += 1
        for row in minus:
            self.rows[name][row] -= 1
            assert self.rows[name][row] >= 0
        self._insert(f"{name}__changes", [(*r, 1) for r in plus] + [(*r, -1) for r in minus])
        self.connection.execute(f"delete from {name}")
        self._insert(name, list(self.rows[name].elements()))

    def settle(self) -> None:
        """The windows have been merged."""
        for name in self.tables:
            self.connection.execute(f"delete from {name}__changes")

    def merge(self, view: View, layout: Layout, moved: frozenset[str], insert_only: bool) -> None:
        relations = frozenset(self.tables[name].relation.name for name in moved)
        change = delta(layout.input, Context(relations & frozenset(view.sources)))
        if change is not None:
            # Every table counts as big in the windows of more than one, so that keys are asked for.
            sources = self._big_sources() if len(relations) > 1 else {}
            answers: dict[Question, Answer] = {}

            def parts() -> Merge:
                return merge(
                    layout, change, STATE, bind, insert_only, sources=sources, answers=answers
                )

            merging, kept = parts(), set[str]()
            for number in range(len(merging.asks)):
                asked = open_questions(merging.asks, number, kept, answers)
                if asked:
                    answers.update(self._answers(asked))
                    merging = parts()
                for name, query in merging.kept[number : number + 1]:
                    self.connection.execute(f"create or replace temp table {name} as {duck(query)}")
                    kept.add(name)
            self.connection.execute(merge_sql(merging))
            spoiled = 'select count(*) from "v__ivm" where "__ivm_count" is null'
            assert self.connection.execute(spoiled).fetchall() == [(0,)], "a negative count"

    def view_rows(self, layout: Layout, types: dict[str, str]) -> Counter[tuple[Any, ...]]:
        return self.bag(duck(visible_query(layout, types, None)))

    def query_rows(self, sql: str) -> Counter[tuple[Any, ...]]:
        """The rows of the user's text, read by sqlglot's own Spark dialect and not by ours."""
        query = sqlglot.parse_one(sql, read="spark").transform(_counted)
        return self.bag(query.sql("duckdb"))

    def bag(self, sql: str) -> Counter[tuple[Any, ...]]:
        rows = self.connection.execute(sql).fetchall()
        return Counter(tuple(_comparable(v) for v in row) for row in rows)

    def _answers(self, asked: list[Question]) -> dict[Question, Answer]:
        found = self.connection.execute(duck(questions_sql(asked)))
        names = [column[0] for column in found.description]
        return answered(asked, [dict(zip(names, row, strict=True)) for row in found.fetchall()])

    def _big_sources(self) -> dict[str, SourceFacts]:
        return {
            t.relation.name: SourceFacts(BIG_ROWS, {n.lower(): k for n, k in t.relation.columns})
            for t in self.tables.values()
        }

    def _insert(self, table: str, rows: list[tuple[Any, ...]]) -> None:
        if rows:
            marks = ", ".join("?" for _ in rows[0])
            self.connection.executemany(f"insert into {table} values ({marks})", rows)

    def _types(self, query: exp.Query) -> dict[str, str]:
        rows = self.connection.execute(f"describe {duck(query)}").fetchall()
        return {str(row[0]): _spark_type(str(row[1])) for row in rows}


def bind(scan: Scan) -> Bound:
    """A scan as a DuckDB table: the source, or its change table with the weight."""
    bound = bind_plain(scan)
    if scan.at is At.CHANGES:
        bound.table.set("this", exp.to_identifier(f"{bound.table.name}__changes", quoted=True))
        bound.columns[WEIGHT] = exp.column("w", table=scan.alias, quoted=True)
    return bound


def duck(query: exp.Query) -> str:
    """A tree of Spark SQL in DuckDB's SQL."""
    return query.transform(_to_duck).sql("duckdb")


def merge_sql(parts: Merge) -> str:
    updates = ", ".join(f'"{name}" = {duck(value)}' for name, value in parts.updates)
    columns = ", ".join(f'"{name}"' for name, _ in parts.inserts)
    values = ", ".join(duck(value) for _, value in parts.inserts)
    gone = f"when matched and {duck(parts.gone)} then delete " if parts.gone is not None else ""
    return (
        f'merge into "v__ivm" as t using ({duck(parts.source)}) as s on {duck(parts.on)} '
        f"{gone}when matched and ({duck(parts.changed)}) then update set {updates} "
        f"when not matched and {duck(parts.born)} then insert ({columns}) values ({values})"
    )


def seeded_rows(table: Table, seed: int, count: int) -> list[tuple[Any, ...]]:
    """Random rows with NULLs and few different values, so that groups and duplicates arise."""
    generator = random.Random(seed)
    return [tuple(_value(kind, generator) for _, kind in table.columns) for _ in range(count)]


def _value(kind: str, generator: random.Random) -> Any:
    if generator.random() < 0.2:
        return None
    number = generator.randint(-2, 4)
    return f"s{number % 3}" if kind == "string" else number


def _to_duck(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Anonymous) and node.name == "raise_error":
        return exp.null()  # DuckDB evaluates error() ahead of its CASE; see `merge`
    if isinstance(node, exp.Anonymous) and node.name == "count_if":
        return _counted(exp.CountIf(this=node.expressions[0]))
    if isinstance(node, exp.Anonymous) and node.name == "count" and len(node.expressions) > 1:
        return _counted(exp.Count(this=node.expressions[0], expressions=node.expressions[1:]))
    if isinstance(node, exp.Anonymous) and node.name == "xxhash64":
        return exp.Anonymous(this="hash", expressions=node.expressions)
    if isinstance(node, exp.IgnoreNulls) and isinstance(node.this, exp.Anonymous):
        call = node.this
        return exp.IgnoreNulls(this=_NULLS[call.name](this=call.expressions[0]))
    if isinstance(node, exp.Join) and node.kind == "SEMI":
        node.set("side", None)
    if isinstance(node, exp.Select) and node.args.get("laterals"):
        laterals = node.args.pop("laterals")
        joins = node.args.get("joins") or []
        node.set("joins", [*joins, *(_unnested(lateral) for lateral in laterals)])
    return node


def _counted(node: exp.Expr) -> exp.Expr:
    """count_if is NULL in DuckDB where every row is; Spark's is 0. DuckDB's count() has one
    argument."""
    if isinstance(node, exp.Count) and node.expressions:
        every = [node.this, *node.expressions]
        absent = (exp.Is(this=exp.paren(e), expression=exp.null()) for e in every)
        present = exp.and_(*(exp.Not(this=e) for e in absent))
        node = exp.CountIf(this=present)
    if not isinstance(node, exp.CountIf):
        return node
    hit = exp.If(this=node.this, true=exp.Literal.number(1))
    return exp.Count(this=exp.Case(ifs=[hit]))


def _unnested(lateral: exp.Lateral) -> exp.Join:
    """LATERAL VIEW explode(array_repeat(x, n)): n rows; explode(array(...)): one a value."""
    alias = lateral.args["alias"]
    call = lateral.this
    array = call.this if isinstance(call, exp.Explode) else call.expressions[0]
    series: exp.Expr = exp.Array(expressions=array.expressions)
    if array.name == "array_repeat":
        series = exp.Anonymous(this="range", expressions=[array.expressions[1]])
    unnest = exp.Anonymous(this="unnest", expressions=[series])
    select = exp.select(exp.alias_(unnest, alias.columns[0].name))
    subquery = exp.Subquery(this=select, alias=exp.TableAlias(this=alias.this))
    return exp.Join(this=exp.Lateral(this=subquery), kind="CROSS")


def _duck_type(kind: str) -> str:
    return {"string": "varchar"}.get(kind, kind)


def _spark_type(kind: str) -> str:
    lowered = kind.lower()
    return _TYPES.get(lowered, lowered.replace(" ", ""))


def _comparable(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, list):
        return tuple(value)
    return float(value) if type(value).__name__ == "Decimal" else value
