"""The hand-written best statements on DuckDB, with the change feeds as tables."""

from __future__ import annotations

import random

import pytest

from benchmarks.rivals.best_sql import BEST
from tests.unit.benchmarks.shop import COLUMNS, Shop


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", BEST)
def test_the_best_merge_equals_its_query(name: str, seed: int) -> None:
    best, shop = BEST[name], Shop(seed)
    changed = random.Random(seed)
    for table in COLUMNS:
        shop.commit(table, 20)
    shop.send([f"create table s.best as {best.query('s')}"])
    written = 0
    for _ in range(5):
        shop.forget()
        before = shop.bag("select * from s.best")
        for _ in range(changed.randint(1, 3)):
            shop.commit(changed.choice(list(COLUMNS)), changed.randint(1, 10))
        feeds = {table: f"s.{table}_feed" for table in best.reads}
        now = {table: f"s.{table}" for table in best.reads}
        shop.send(list(best.refresh("s.best", feeds, now)))
        kept = shop.bag("select * from s.best")
        assert kept == shop.bag(best.query("s"))
        written += kept != before
    assert written > 0, "changes that change nothing test nothing"
