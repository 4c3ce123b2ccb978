"""A view equals its query after every window: random views, random changes, on DuckDB.

`IVM_EXAMPLES` sets how many views are tried; a failure prints the view and how to replay it.
"""

from __future__ import annotations

import os
import random

from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from dbt.adapters.ivm_spark.view.reasons import NotMaintained
from tests.differential.algebra.engine import Engine, seeded_rows
from tests.differential.algebra.queries import TABLES, views

EXAMPLES = int(os.environ.get("IVM_EXAMPLES", "100"))
WINDOWS = 4


SETTINGS = settings(
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@settings(SETTINGS, max_examples=EXAMPLES)
@given(sql=views(), seed=st.integers(0, 2**32))
def test_view_equals_its_query(sql: str, seed: int) -> None:
    check(sql, seed)


def check(sql: str, seed: int) -> bool:
    """Build the view, change its sources and merge; True if it is maintained."""
    note(sql)
    generator = random.Random(seed)
    engine = Engine(TABLES)
    change(engine, generator, inserts=8, deletes=0)
    try:
        view, layout, types = engine.read(sql)
    except NotMaintained:
        return False
    engine.build(layout)
    engine.settle()
    assert engine.view_rows(layout, types) == engine.query_rows(sql), "the first build"
    for _ in range(WINDOWS):
        deletes = generator.choice((0, 3, 6))
        moved = change(engine, generator, inserts=generator.choice((0, 1, 4)), deletes=deletes)
        engine.merge(view, layout, moved, insert_only=deletes == 0)
        engine.settle()
        seen, wanted = engine.view_rows(layout, types), engine.query_rows(sql)
        assert seen == wanted, f"too many {seen - wanted}, missing {wanted - seen}"
    return True


def change(engine: Engine, generator: random.Random, inserts: int, deletes: int) -> frozenset[str]:
    """Change some of the sources; a row may be inserted and deleted in one window."""
    moved = set()
    for name, table in engine.tables.items():
        if generator.random() < 0.3 and deletes:
            continue
        plus = seeded_rows(table, generator.getrandbits(32), generator.randint(0, inserts))
        there = [*engine.rows[name].elements(), *(plus if deletes else ())]
        minus = generator.sample(there, min(len(there), generator.randint(0, deletes)))
        if plus or minus:
            engine.change(name, plus, minus)
            moved.add(name)
    return frozenset(moved)
