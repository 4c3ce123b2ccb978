"""Random views of `random_kinds` through dbt, Spark and Delta, while rows, settings and sources of
hooks change: each equals its query at the versions that it records, under the settings of the run.

`IVM_KINDS` sets how many projects are tried; a failure prints their queries.
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
from tests.functional.ivm.random_kinds import COLUMNS, SETTINGS, TABLES, views
from tests.functional.ivm.warehouse import FEED, Warehouse, bag, in_turn, kinds

PROJECTS = int(os.environ.get("IVM_KINDS", "1"))
VIEWS, ROUNDS = budget(3, 12), budget(2, 4)
ANSI = "spark.sql.ansi.enabled=false"
HEADER = "{{ config(materialized='ivm', refresh_policy='incremental', pre_hook=var('set', [])) }}\n"
HOOKED = (
    "{{{{ config(materialized='ivm', refresh_policy='incremental', pre_hook=var('set', []) + "
    '["insert into " ~ target.schema ~ ".hooked values {}"]) }}}}\n'
)
TALLY = {"views": 0, "cases": 0, "incremental": 0, "full": 0}


class TestRandomKinds:
    @settings(
        max_examples=PROJECTS,
        deadline=None,
        derandomize="IVM_KINDS" not in os.environ,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )
    @given(
        sqls=st.lists(views(), min_size=VIEWS, max_size=VIEWS, unique=True),
        seed=st.integers(0, 2**32),
    )
    def test_equal_their_queries(self, warehouse: Warehouse, sqls: list[str], seed: int) -> None:
        generator = random.Random(seed)
        warehouse.sql(f"set {ANSI}")
        for table in TABLES:
            warehouse.sql(
                f"create or replace table {table} ({COLUMNS}) using delta {FEED}",
                f"insert into {table} values {_rows(generator, 8)}",
            )
        taken = [sql for sql in sqls if _is_sparks(warehouse, sql)]
        names = [f"k{place}" for place in range(len(taken))]
        for name, sql in zip(names, taken, strict=True):
            note(f"{name}: {sql}")
            hooked = "@hooked" in sql and generator.random() < 0.5
            header = HOOKED.format(_rows(generator, 1)) if hooked else HEADER
            warehouse.write(name, header + sql.replace("@", "{{ target.schema }}."))
        TALLY["views"] += len(names)
        for place in range(ROUNDS + 1):
            chosen = {
                ANSI,
                *generator.sample(SETTINGS, generator.choice((0, 0, 1)) if place else 0),
            }
            note(f"round {place}: {chosen}")
            if place:
                warehouse.sql(*_changes(generator))
            texts = ", ".join(f'"set {text}"' for text in sorted(chosen))
            # One thread: a model that is stored as it is reads what another model's hook writes
            # after its sources were pinned.
            flags = ["--vars", f"{{set: [{texts}]}}", "--threads", "1"]
            with in_turn(place):
                results = warehouse.dbt("run", "--select", *names, *flags, ok=None)
            failed = [f"{n}: {r.message}" for n, r in results.items() if r.status != "success"]
            assert not failed, failed
            warehouse.sql(*(f"set {text}" for text in chosen))
            wrong = [text for name in names for text in _differences(warehouse, name)]
            warehouse.sql(*(f"reset {text.partition('=')[0]}" for text in chosen))
            assert not wrong, wrong
            found = kinds({n: r.adapter_response for n, r in results.items()}).values()
            TALLY["cases"] += len(names)
            for kind in ("incremental", "full"):
                TALLY[kind] += list(found).count(kind)


def _differences(warehouse: Warehouse, name: str) -> list[str]:
    query = warehouse.queries[name]
    for table, version in warehouse.recorded(name).items():
        query = re.sub(rf"\.{table}\b", f".{table} version as of {version}", query)
    shown, wanted = warehouse.bags(name), bag(warehouse.rows(query))
    return (
        [] if shown == wanted else [f"{name}: surplus {shown - wanted}, missing {wanted - shown}"]
    )


def _is_sparks(warehouse: Warehouse, sql: str) -> bool:
    """False for a view that Spark does not take, under any of the settings."""
    try:
        for text in ("spark.sql.jsonGenerator.ignoreNullFields=true", *SETTINGS):
            warehouse.sql(f"set {text}")
            try:
                warehouse.rows(sql.replace("@", ""))
            finally:
                warehouse.sql(f"reset {text.partition('=')[0]}", f"set {ANSI}")
    except PySparkException:
        return False
    return True


def _changes(generator: random.Random) -> list[str]:
    table = generator.choice(TABLES)
    statements = [f"insert into {table} values {_rows(generator, generator.randint(1, 3))}"]
    if generator.random() < 0.5:
        statements.append(f"delete from {table} where id = {generator.randint(0, 3)}")
    if generator.random() < 0.5:
        other = generator.choice(TABLES)
        statements.append(f"update {other} set s = 'now', month = 3 where id = 1")
    return statements if generator.random() < 0.8 else []


def _rows(generator: random.Random, count: int) -> str:
    return ", ".join(_row(generator) for _ in range(count))


def _row(generator: random.Random) -> str:
    def some(*texts: Any) -> str:
        return "null" if generator.random() < 0.2 else str(generator.choice(texts))

    day, hour = generator.randint(1, 28), generator.randint(10, 23)
    values = (
        some(0, 1, 2, 3),
        some(0, 1, 12),
        some(f"date'2024-02-{day:02}'", "date'2999-01-01'"),
        some(f"timestamp'2024-01-0{1 + hour % 5} {hour}:30:00'"),
        some("'a'", "'today'", "'7'"),
        some("array('a', 'c', null)"),
    )
    return f"({', '.join(values)})"
