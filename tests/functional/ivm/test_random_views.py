"""Random views through dbt, Spark and Delta: the views of the algebra's own test, fewer of them.

One of their tables is stored as Parquet files.

`IVM_END_TO_END` sets how many projects of VIEWS views are tried; a failure prints their queries.
"""

from __future__ import annotations

import os
import random
import re
from typing import Any

from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st
from pyspark.errors import PySparkException

from tests.budget import budget
from tests.differential.algebra.database import Table, seeded_rows
from tests.differential.algebra.queries import TABLES, views
from tests.functional.ivm.warehouse import FEED, Warehouse, in_turn

PROJECTS = int(os.environ.get("IVM_END_TO_END", "1"))
VIEWS, BATCHES = budget(3, 8), budget(2, 4)
HEADER = "{{ config(materialized='ivm', refresh_policy='incremental') }}\n"


class TestRandomViews:
    @settings(
        max_examples=PROJECTS,
        deadline=None,
        derandomize="IVM_END_TO_END" not in os.environ,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )
    @given(
        sqls=st.lists(views(), min_size=VIEWS, max_size=VIEWS, unique=True),
        seed=st.integers(0, 2**32),
    )
    def test_equal_their_queries(self, warehouse: Warehouse, sqls: list[str], seed: int) -> None:
        generator = random.Random(seed)
        files = generator.choice(TABLES)
        for table in TABLES:
            columns = ", ".join(f"{name} {kind}" for name, kind in table.columns)
            form = "parquet" if table is files else f"delta {FEED}"
            warehouse.sql(
                f"drop table if exists {table.name}",
                f"create table {table.name} ({columns}) using {form}",
            )
        taken = [sql for sql in sqls if _is_sparks(warehouse, sql)]
        assert len(taken) > VIEWS // 2
        for place, sql in enumerate(taken):
            note(f"v{place}: {sql}")
            text = re.sub(r"\bfrom ([tuwm])\b", r"from {{ target.schema }}.\1", sql)
            warehouse.write(f"v{place}", HEADER + text)
        for batch in range(BATCHES + 1):
            for table in TABLES:
                changes = _changes(table, generator, batch)
                if table is files:  # Spark can't delete rows of files
                    stays = batch and generator.random() < 0.7
                    changes = [s for s in changes if s.startswith("insert") and not stays]
                warehouse.sql(*changes)
            names = [f"v{place}" for place in range(len(taken))]
            with in_turn(batch):
                results = warehouse.dbt("run", "--select", *names, ok=None)
            failed = [f"{n}: {r.message}" for n, r in results.items() if r.status != "success"]
            assert not failed, failed
            warehouse.check(*results)


def _is_sparks(warehouse: Warehouse, sql: str) -> bool:
    """False for the few views that are DuckDB's SQL and not Spark's."""
    try:
        warehouse.rows(sql)
    except PySparkException:
        return False
    return True


def _changes(table: Table, generator: random.Random, batch: int) -> list[str]:
    statements = []
    count = generator.randint(1, 4) if batch else 10
    rows = seeded_rows(table, generator.getrandbits(32), count)
    if not batch or generator.random() < 0.7:
        values = ", ".join(f"({', '.join(map(_literal, row))})" for row in rows)
        statements.append(f"insert into {table.name} values {values}")
    if batch and generator.random() < 0.6:
        column = generator.choice([name for name, kind in table.columns if kind != "string"])
        statements.append(f"delete from {table.name} where {column} = {generator.randint(-2, 4)}")
    return statements


def _literal(value: Any) -> str:
    if value is None:
        return "null"
    return f"'{value}'" if isinstance(value, str) else str(value)
