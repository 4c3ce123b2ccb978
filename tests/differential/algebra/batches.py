"""Random views over random batches: a view is built once, changed many times, and compared after
each time.

`IVM_EXAMPLES` sets how many views are tried; a failure prints the view and how to replay it.
"""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from hypothesis import HealthCheck, settings

from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained
from tests.budget import budget
from tests.differential.algebra.database import Database, Row, seeded_rows
from tests.differential.algebra.maintained import Maintained
from tests.differential.algebra.queries import TABLES

BATCHES = budget(14, 30)
KINDS = 3
"""Different sets of moved sources, each with its own MERGE, that a view's batches have."""

SETTINGS = settings(
    max_examples=int(os.environ.get("IVM_EXAMPLES", budget(6, 200))),
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)

Side = Callable[[Maintained], Counter[Row]]


@dataclass
class Tally:
    """What has been checked in this run; a case is one view after one batch."""

    views: int = 0
    refused: int = 0
    appended: int = 0
    cases: int = 0
    edited: int = 0
    kept: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        rate = 60 * self.cases / self.seconds if self.seconds else 0
        return (
            f"{self.views} random views maintained ({self.refused} refused, {self.appended} "
            f"appended to), {self.cases} cases, {rate:.0f} a minute; {self.kept} of "
            f"{self.edited} edits kept the state"
        )


TALLY = Tally()
_databases: list[Database] = []


def checked(
    sql: str, seed: int, seen: Side, wanted: Side, appends: bool = False
) -> Maintained | None:
    """The view after it has been built, and changed and compared BATCHES times; None for one that
    is not maintained. appends: its state is appended to where it can be."""
    started = time.monotonic()
    with fresh_database() as database:
        try:
            view = Maintained(database, sql, appends)
        except NotMaintained:
            TALLY.refused += 1
            view = None
        if view is not None:
            _check(view, database, random.Random(seed), seen, wanted)
            TALLY.views += 1
            TALLY.appended += view.appended
    TALLY.seconds += time.monotonic() - started
    return view


@contextmanager
def fresh_database() -> Iterator[Database]:
    """A database without rows. One in which a statement has failed is not used again."""
    database = _databases.pop() if _databases else Database(TABLES)
    database.empty()
    yield database
    _databases.append(database)


def changed(view: Maintained, database: Database, generator: random.Random) -> frozenset[str]:
    """Change some sources of a view; their names."""
    moved, insert_only = _kind(view, generator)
    for name in moved:
        _change(database, name, generator, 10, 0 if insert_only else 4)
    return frozenset(moved)


def _check(
    view: Maintained, database: Database, generator: random.Random, seen: Side, wanted: Side
) -> None:
    for name in view.sources:
        _change(database, name, generator, inserts=10, deletes=0)
    view.build()
    database.settle()
    _compare(view, seen, wanted)
    kinds = [_kind(view, generator) for _ in range(KINDS)]
    for _ in range(BATCHES):
        moved, insert_only = generator.choice(kinds)
        ticks = view.reads_clock and generator.random() < 0.5
        if ticks and generator.random() < 0.3:
            moved = []
        deletes = 0 if insert_only else generator.choice((1, 3, 6))
        for name in moved:
            _change(database, name, generator, generator.choice((0, 1, 4)), deletes)
        if ticks:
            others = [time for time in range(-1, 5) if time != view.clock]
            view.tick(generator.choice(others), frozenset(moved))
        else:
            view.merge(frozenset(moved), insert_only)
        database.settle()
        _compare(view, seen, wanted)


def _kind(view: Maintained, generator: random.Random) -> tuple[list[str], bool]:
    """The sources that a batch moves, and whether it only inserts."""
    count = generator.randint(1, len(view.sources))
    return generator.sample(view.sources, count), generator.random() < 0.3


def _change(
    database: Database, name: str, generator: random.Random, inserts: int, deletes: int
) -> None:
    """Change a source; a row may be inserted and deleted in one window."""
    table = database.tables[name]
    plus = seeded_rows(table, generator.getrandbits(32), generator.randint(0, inserts))
    there = [*database.rows[name].elements(), *(plus if deletes else ())]
    minus = generator.sample(there, min(len(there), generator.randint(0, deletes)))
    database.change(name, plus, minus)


def _compare(view: Maintained, seen: Side, wanted: Side) -> None:
    one, other = seen(view), wanted(view)
    assert one == other, f"too many {one - other}, missing {other - one}"
    TALLY.cases += 1
