"""A view whose SQL is edited again and again equals its query, and keeps its state where it can."""

from __future__ import annotations

import random

import duckdb
from hypothesis import Phase, given, note, settings
from hypothesis import strategies as st

from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained
from tests.budget import budget
from tests.differential.algebra.batches import SETTINGS, TALLY, changed, fresh_database
from tests.differential.algebra.database import Database
from tests.differential.algebra.edits import edited
from tests.differential.algebra.maintained import Maintained
from tests.differential.algebra.queries import summaries, views

EDITS = budget(4, 8)
NO_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)
"""A smaller query has other edits, so that shrinking takes long and finds little."""


def usable(sql: str, database: Database) -> bool:
    """Whether a view of this text can be built at all, in DuckDB's SQL too."""
    try:
        view = Maintained(database, sql)
        view.build()
        return view.shown() == view.wanted()
    except (NotMaintained, duckdb.Error):
        return False


@settings(SETTINGS, phases=NO_SHRINKING)
@given(sql=st.one_of(views(), summaries()), seed=st.integers(0, 2**32))
def test_an_edited_view_equals_its_new_query(sql: str, seed: int) -> None:
    sql = sql.replace("unix_timestamp()", "1")
    note(sql)
    generator = random.Random(seed)
    with fresh_database() as database, fresh_database() as other:
        if not usable(sql, other):
            return
        view = Maintained(database, sql)
        changed(view, database, generator)
        view.build()
        database.settle()
        for _ in range(EDITS):
            after = edited(sql, generator)
            if not usable(after, other):
                continue
            sql = after
            note(sql)
            moved = changed(view, database, generator) if generator.random() < 0.5 else frozenset()
            kept = view.edit(sql, moved)
            TALLY.edited += 1
            TALLY.kept += kept
            database.settle()
            shown, wanted = view.shown(), view.wanted()
            assert shown == wanted, f"too many {shown - wanted}, missing {wanted - shown}"
            assert view.stored() == view.stored_anew()
