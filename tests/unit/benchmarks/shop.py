"""TPC-H in miniature on DuckDB, with a change feed of each table, for SQL written by hand."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from typing import Any

import duckdb
import sqlglot
from sqlglot import exp

KEYS = {
    "customer": ("c_custkey",),
    "orders": ("o_orderkey",),
    "lineitem": ("l_orderkey", "l_linenumber"),
}
_DATES = ("2020-01-01", "2020-01-02", "2020-01-03")
COLUMNS: dict[str, dict[str, tuple[Any, ...]]] = {
    "customer": {
        "c_custkey": (1, 2, 3, 4),
        "c_nationkey": (1, 2),
        "c_mktsegment": ("A", "B"),
        "c_acctbal": (5, 6),
    },
    "orders": {
        "o_orderkey": tuple(range(1, 13)),
        "o_custkey": (1, 2, 3, 4),
        "o_orderdate": _DATES,
        "o_totalprice": (100, 200),
    },
    "lineitem": {
        "l_orderkey": tuple(range(1, 13)),
        "l_linenumber": (1, 2, 3),
        "l_partkey": (1, 2, 3, 4, 5),
        "l_suppkey": (1, 2),
        "l_quantity": (20, 25, 26, 45, 46, 49, 50),
        "l_extendedprice": (-2, -1, 0, 1, 2),
        "l_discount": (0, 1),
        "l_shipdate": _DATES,
        "l_shipmode": ("AIR", "MAIL"),
    },
}
"""The values of each column; the key's columns come first."""
_DECIMALS = ("c_acctbal", "o_totalprice", "l_quantity", "l_extendedprice", "l_discount")


class Shop:
    """The tables, and a feed of each with what changed since it was emptied."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._db = duckdb.connect(":memory:")
        self._db.execute("create schema s")
        self._rows: dict[str, dict[tuple[int, ...], tuple[Any, ...]]] = {t: {} for t in COLUMNS}
        self._version = 0
        for table, columns in COLUMNS.items():
            typed = ", ".join(f"{name} {_type(name, values)}" for name, values in columns.items())
            self._db.execute(f"create table s.{table} ({typed})")
            self._db.execute(
                f"create table s.{table}_feed "
                f"({typed}, _change_type varchar, _commit_version bigint)"
            )

    def forget(self) -> None:
        for table in COLUMNS:
            self._db.execute(f"delete from s.{table}_feed")

    def commit(self, table: str, changes: int) -> None:
        """Insert, update and delete single rows, each key once in a commit."""
        self._version += 1
        rows = self._rows[table]
        for key in {self._key(table) for _ in range(changes)}:
            old = rows.pop(key, None)
            new = None
            if old is None or self._random.random() < 0.5:
                new = rows[key] = (*key, *self._values(table))
            if old is not None and new is not None:
                self._record(table, old, "update_preimage")
                self._record(table, new, "update_postimage")
            elif old is not None:
                self._record(table, old, "delete")
            elif new is not None:
                self._record(table, new, "insert")
        self._db.execute(f"delete from s.{table}")
        for row in rows.values():
            self._db.execute(_insert(f"s.{table}", len(row)), row)

    def send(self, statements: Iterable[str]) -> None:
        for statement in statements:
            tree = sqlglot.parse_one(statement, read="spark")
            if isinstance(tree, exp.Cache):
                tree = exp.Create(kind="TABLE", this=tree.this, expression=tree.expression)
            elif isinstance(tree, exp.Drop):
                tree.set("kind", "TABLE")
            self._db.execute(tree.sql("duckdb"))

    def columns(self, query: str) -> list[str]:
        sql = sqlglot.transpile(query, read="spark", write="duckdb")[0]
        return [column[0] for column in self._db.execute(sql).description]

    def bag(self, query: str) -> Counter[tuple[Any, ...]]:
        sql = sqlglot.transpile(query, read="spark", write="duckdb")[0]
        return Counter(self._db.execute(sql).fetchall())

    def _key(self, table: str) -> tuple[int, ...]:
        return tuple(self._random.choice(COLUMNS[table][column]) for column in KEYS[table])

    def _values(self, table: str) -> tuple[Any, ...]:
        """Few values each, so that groups meet, and bounds of the shapes' filters among them."""
        pick = self._random.choice
        return tuple(pick(values) for values in list(COLUMNS[table].values())[len(KEYS[table]) :])

    def _record(self, table: str, row: tuple[Any, ...], change: str) -> None:
        values = (*row, change, self._version)
        self._db.execute(_insert(f"s.{table}_feed", len(values)), values)


def _insert(table: str, columns: int) -> str:
    return f"insert into {table} values ({', '.join('?' * columns)})"


def _type(column: str, values: tuple[Any, ...]) -> str:
    if column in _DECIMALS:
        return "decimal(15,2)"
    if values is _DATES:
        return "date"
    return "varchar" if isinstance(values[0], str) else "bigint"
