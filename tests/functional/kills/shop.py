"""The project whose runs are killed: views of each technique, and how its sources change."""

from __future__ import annotations

import random

STEADY = {
    "sums": "select k, sum(v) as total, count(*) as n from @facts group by k",
    "joined": "select f.k, f.v, d.name from @facts as f join @names as d on f.k = d.k",
    "largest": "select k, max(v) as most, count(distinct v) as n from @facts group by k",
    "added": "select k, count(*) as n, sum(v) as total from @facts group by k",
    "ranked": "select k, v, rank() over (partition by k order by v) as place from @facts",
}
CONFIGS = {"added": {"state_writes": "append"}}
TEXTS = (
    "select k, sum(v) as x from @facts group by k having sum(v) is not null",
    "select k, count(distinct v) as y, max(v) as x from @facts group by k",
)
"""Between which `edited` changes: other columns, another state."""
FIRST = STEADY["sums"]
"""The query of `first`, which is dropped before each run and so built anew."""
VIEWS = (*STEADY, "edited", "first")
FEED = "tblproperties ('delta.enableChangeDataFeed' = 'true')"
SCHEMA = "analytics"

CREATE = (
    f"create schema if not exists {SCHEMA}",
    f"create table if not exists {SCHEMA}.facts (k string, v int) using delta {FEED}",
    f"create table if not exists {SCHEMA}.names (k string, name string) using delta {FEED}",
)


def on_schema(sql: str) -> str:
    """A query's text with the names of its sources."""
    return sql.replace("@", f"{SCHEMA}.")


def header(view: str, **config: str) -> str:
    """The line above a view's query."""
    said = {
        "materialized": "ivm",
        "refresh_policy": "incremental",
        **CONFIGS.get(view, {}),
    } | config
    given = ", ".join(f"{key}={value!r}" for key, value in said.items())
    return f"{{{{ config({given}) }}}}\n"


def texts(turn: int) -> dict[str, str]:
    """The query of each view at a turn."""
    return {**STEADY, "edited": TEXTS[turn % 2], "first": FIRST}


def changes(turn: int, dice: random.Random) -> list[str]:
    """Statements that change both sources, and drop `first`."""
    key = f"k{dice.randrange(8)}"
    rows = ", ".join(f"('k{dice.randrange(8)}', {dice.randrange(100)})" for _ in range(20))
    return [
        f"insert into {SCHEMA}.facts values {rows}",
        f"delete from {SCHEMA}.facts where k = '{key}' and v % 3 = {turn % 3}",
        f"update {SCHEMA}.facts set v = v + 1 where v % 7 = {turn % 7}",
        f"insert into {SCHEMA}.names values ('{key}', 'N{turn}')",
        f"drop view if exists {SCHEMA}.first",
        f"drop table if exists {SCHEMA}.first__ivm",
    ]
