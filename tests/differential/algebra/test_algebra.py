"""A view equals its query after every batch: random views, random changes, on DuckDB."""

from __future__ import annotations

from hypothesis import given, note
from hypothesis import strategies as st

from tests.differential.algebra.batches import SETTINGS, checked
from tests.differential.algebra.maintained import Maintained
from tests.differential.algebra.queries import summaries, views


@SETTINGS
@given(sql=views(), seed=st.integers(0, 2**32))
def test_view_equals_its_query(sql: str, seed: int) -> None:
    note(sql)
    checked(sql, seed, Maintained.shown, Maintained.wanted)


@SETTINGS
@given(sql=summaries(), seed=st.integers(0, 2**32))
def test_an_appended_state_equals_its_query(sql: str, seed: int) -> None:
    note(sql)
    checked(sql, seed, Maintained.shown, Maintained.wanted, appends=True)
