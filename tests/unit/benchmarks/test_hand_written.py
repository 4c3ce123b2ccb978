"""The hand-written incremental models on DuckDB: rendered as by dbt, merged as by dbt-spark."""

from __future__ import annotations

import random
from typing import Any

import pytest
from jinja2 import Environment

from benchmarks.rivals.by_dbt import HAND_WRITTEN
from benchmarks.shapes import SHAPES
from tests.unit.benchmarks.shop import COLUMNS, Shop

NAMES = sorted(path.name.removesuffix("__merge.sql") for path in HAND_WRITTEN.glob("*.sql"))


def rendered(text: str, incremental: bool, version: int) -> str:
    def versions(**of: int) -> str:
        return ", ".join(f"{number} as {table}_version" for table, number in of.items())

    words: dict[str, Any] = {
        "config": lambda **_: "",
        "is_incremental": lambda: incremental,
        "source": lambda _, table: f"s.{table}",
        "newest": lambda _: version,
        "at": lambda table, _: f"s.{table}",
        "changes": lambda table, _: f"s.{table}_feed",
        "versions": versions,
        "this": "s.kept",
    }
    return Environment(autoescape=False).from_string(text).render(words)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", NAMES)
def test_a_hand_written_merge_equals_its_query(name: str, seed: int) -> None:
    model, shop, changed = SHAPES[name], Shop(seed), random.Random(seed)
    text = (HAND_WRITTEN / f"{name}__merge.sql").read_text()
    query = rendered(model.sql, False, 0)
    for table in COLUMNS:
        shop.commit(table, 20)
    shop.send([f"create table s.kept as {rendered(text, False, 0)}"])
    columns = ", ".join(shop.columns(query))
    same = " and ".join(f"s.kept.{column} = s.news.{column}" for column in model.key)
    written = 0
    for round_ in range(1, 6):
        shop.forget()
        before = shop.bag("select * from s.kept")
        for _ in range(changed.randint(1, 3)):
            shop.commit(changed.choice(list(COLUMNS)), changed.randint(1, 10))
        shop.send(
            [
                f"create table s.news as {rendered(text, True, round_)}",
                f"delete from s.kept where exists (select 1 from s.news where {same})",
                "insert into s.kept select * from s.news",
            ]
        )
        keys = ", ".join(model.key)
        doubled = f"select {keys} from s.news group by {keys} having count(*) > 1"
        assert not shop.bag(doubled), "a MERGE fails on two rows of one key"
        shop.send(["drop table s.news"])
        kept = shop.bag(f"select {columns} from s.kept where not is_deleted")
        assert kept == shop.bag(f"select {columns} from ({query}) q")
        written += shop.bag("select * from s.kept") != before
    assert written > 0, "changes that change nothing test nothing"
