"""Frozen rows of random views stay as they are; all others equal the query, after every batch."""

from __future__ import annotations

import random

import duckdb
from hypothesis import given, note, settings
from hypothesis import strategies as st

from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained
from tests.budget import budget
from tests.differential.algebra.batches import SETTINGS, changed, fresh_database
from tests.differential.algebra.database import Database
from tests.differential.algebra.maintained import Maintained
from tests.differential.algebra.queries import summaries, views

BATCHES = budget(6, 20)


def built(sql: str, database: Database, generator: random.Random) -> Maintained | None:
    """The view of a text in its first state, None if it is not maintained."""
    try:
        view = Maintained(database, sql)
        changed(view, database, generator)
        changed(view, database, generator)
        view.build()
    except (NotMaintained, duckdb.Error):
        return None
    database.settle()
    return view


@settings(SETTINGS)
@given(sql=st.one_of(views(), summaries()), seed=st.integers(0, 2**32))
def test_frozen_rows_stay_and_others_equal_the_query(sql: str, seed: int) -> None:
    sql = sql.replace("unix_timestamp()", "1")
    note(sql)
    generator = random.Random(seed)
    with fresh_database() as database:
        view = built(sql, database, generator)
        condition = "" if view is None else view.freeze(generator)
        if view is None or not condition:
            return
        note(condition)
        shown, wanted = view.texts
        frozen, _ = view.split(shown, condition)
        for _ in range(BATCHES):
            moved = changed(view, database, generator)
            if generator.random() < 0.2:
                view.rebuild()
            else:
                view.merge(moved, False)
            database.settle()
            kept, live = view.split(shown, condition)
            assert kept == frozen
            _, others = view.split(wanted, condition)
            assert live == others, f"too many {live - others}, missing {others - live}"
