"""The sources of random views in one DuckDB database, with their change windows."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import duckdb

from dbt.adapters.ivm_spark.algebra.catalog import Catalog, Relation, RelationKind, relation_key

Row = tuple[Any, ...]
_TYPES = {
    "integer": "int",
    "hugeint": "bigint",
    "varchar": "string",
    "boolean": "boolean",
    "date": "date",
}


@dataclass(frozen=True)
class Table:
    """A source: its name and its columns with Spark types that DuckDB has too."""

    name: str
    columns: tuple[tuple[str, str], ...]

    @property
    def relation(self) -> Relation:
        return Relation(f"`main`.`{self.name}`", RelationKind.DELTA, self.columns)


class Database:
    """Sources of few rows; small enough that more than one thread would only cost time."""

    def __init__(self, tables: Iterable[Table]) -> None:
        self.tables = {table.name: table for table in tables}
        self.rows: dict[str, Counter[Row]] = {n: Counter() for n in self.tables}
        self._connection = duckdb.connect(":memory:", config={"threads": 1})
        # DuckDB 2.0.0 loses rows of a RIGHT JOIN from an empty left table under a later filter.
        self.run("set disabled_optimizers = 'statistics_propagation'")
        self.catalog = Catalog(
            {relation_key(t.relation.name): t.relation for t in self.tables.values()}, ("main",)
        )
        for table in self.tables.values():
            columns = ", ".join(f'"{n}" {_duck_type(t)}' for n, t in table.columns)
            self.run(f"create table {table.name} ({columns})")
            self.run(f"create table {table.name}__changes ({columns}, w integer)")

    def run(self, sql: str) -> None:
        self._connection.execute(sql)

    def bag(self, sql: str) -> Counter[Row]:
        """The rows of a query with their number of copies."""
        rows = self._connection.execute(sql).fetchall()
        return Counter(tuple(_comparable(v) for v in row) for row in rows)

    def named(self, sql: str) -> list[dict[str, Any]]:
        """The rows of a query, by the names of its columns."""
        found = self._connection.execute(sql)
        names = [column[0] for column in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    def types(self, sql: str) -> dict[str, str]:
        """The Spark types of a query's columns."""
        rows = self._connection.execute(f"describe {sql}").fetchall()
        return {str(row[0]): _spark_type(str(row[1])) for row in rows}

    def empty(self) -> None:
        """No rows and no changes."""
        for name in self.tables:
            self.rows[name].clear()
            self.run(f"delete from {name}")
        self.settle()

    def change(self, name: str, plus: list[Row], minus: list[Row]) -> None:
        """Add a window to a source's change table and apply it to the source."""
        rows = self.rows[name]
        for row in plus:
            rows[row] += 1
        for row in minus:
            rows[row] -= 1
            assert rows[row] >= 0
        self._insert(f"{name}__changes", [(*r, 1) for r in plus] + [(*r, -1) for r in minus])
        self.run(f"delete from {name}")
        self._insert(name, list(rows.elements()))

    def settle(self) -> None:
        """The windows have been merged."""
        for name in self.tables:
            self.run(f"delete from {name}__changes")

    def _insert(self, table: str, rows: list[Row]) -> None:
        if rows:
            values = ", ".join(f"({', '.join(map(_literal, row))})" for row in rows)
            self.run(f"insert into {table} values {values}")


def seeded_rows(table: Table, seed: int, count: int) -> list[Row]:
    """Random rows with NULLs and few different values, so that groups and duplicates arise."""
    generator = random.Random(seed)
    return [tuple(_value(kind, generator) for _, kind in table.columns) for _ in range(count)]


def _value(kind: str, generator: random.Random) -> Any:
    if generator.random() < 0.2:
        return None
    number = generator.randint(-2, 4)
    return f"s{number % 3}" if kind == "string" else number


def _literal(value: Any) -> str:
    if value is None:
        return "null"
    return f"'{value}'" if isinstance(value, str) else str(value)


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
