"""The queries that are measured: shapes that isolate one thing each, and TPC-H's 22."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.tpch.data import QUERIES, TABLES

SOURCE = re.compile(r"source\('tpch', '(\w+)'\)")
BELOW = re.compile(r"below\('(\w+)'\)")


@dataclass(frozen=True)
class Model:
    """A query as a dbt model's text, in which `below('x')` is the model that it stands on.

    key: columns that identify a row of its result, where there are some; config: further dbt
    configs of its ivm form.
    """

    name: str
    sql: str
    key: tuple[str, ...] = ()
    config: Mapping[str, Any] = field(default_factory=dict)
    below: Model | None = None

    @property
    def chain(self) -> tuple[Model, ...]:
        """The models that have to be refreshed for this one, itself last."""
        return (*(self.below.chain if self.below is not None else ()), self)

    @property
    def sources(self) -> tuple[str, ...]:
        """The tables of TPC-H that it reads, directly or through models below."""
        found = {table for model in self.chain for table in SOURCE.findall(model.sql)}
        return tuple(table for table in TABLES if table in found)

    def text(self, form: str, config: Mapping[str, Any]) -> str:
        """The dbt model's file in one form (`auto`, `table` …), on models of the same form."""
        given = ", ".join(f"{key}={value!r}" for key, value in config.items())
        sql = BELOW.sub(lambda found: f"ref('{node(found.group(1), form)}')", self.sql)
        return f"{{{{ config({given}) }}}}\n{sql.strip()}\n"


def node(model: str, form: str) -> str:
    """The name in dbt of a model in one form."""
    return f"{model}__{form}"


def columns_of(sql: str, columns: Iterable[str]) -> list[str]:
    """Those of a table's columns that a query names; TPC-H has no name in two tables."""
    words = set(re.findall(r"\w+", sql.lower()))
    return [column for column in columns if column.lower() in words]


def tpch() -> dict[str, Model]:
    """The 22 queries by name, q01 to q22."""
    paths = sorted(QUERIES.glob("q*.sql"))
    return {path.stem: Model(path.stem, path.read_text(encoding="utf-8")) for path in paths}
