"""DuckDB on the same files: what the query itself takes without a table format and a cluster."""

from __future__ import annotations

import time

import duckdb
import sqlglot
from jinja2 import Environment

from benchmarks.cost import Cost, Run
from benchmarks.lab import Lab
from benchmarks.models import Model
from benchmarks.rivals.rival import Rival, Windows


class DuckDb(Rival):
    """Computes the whole query from the Parquet files of the newest versions, on all cores."""

    name = "duckdb"
    floor = True

    def fits(self, model: Model) -> bool:
        return model.below is None

    def refresh(self, lab: Lab, model: Model, windows: Windows) -> Run:
        sql = query(model)
        with duckdb.connect() as engine:
            for table in model.sources:
                listed = ", ".join(f"'{file}'" for file in lab.files(table))
                engine.execute(f"create view {table} as from read_parquet([{listed}])")
            started = time.perf_counter()
            engine.execute(f"create table result as {sql}")
            return Run(Cost(seconds=time.perf_counter() - started))


def query(model: Model) -> str:
    """A model's query in DuckDB's SQL, over tables with TPC-H's names."""
    words = {"source": lambda _, table: table, "var": lambda _, default: default}
    plain = Environment(autoescape=False).from_string(model.sql).render(words)
    return sqlglot.transpile(plain, "spark", "duckdb")[0]
