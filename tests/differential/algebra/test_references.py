"""Joins along foreign keys that hold: a table whose rows only come or go has no term, and no row is
lost, whatever else changes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from dbt.adapters.ivm_spark.delta.references import ForeignKey
from tests.budget import budget
from tests.differential.algebra.batches import SETTINGS
from tests.differential.algebra.database import Database, Row, Table
from tests.differential.algebra.maintained import Maintained
from tests.differential.algebra.parts import Draw

ROUNDS = budget(8, 12)
TABLES = (
    Table("customers", (("id", "int"), ("segment", "int"), ("first", "int"))),
    Table("orders", (("id", "int"), ("day", "int"), ("customer", "int"), ("v", "int"))),
    Table("lines", (("order_id", "int"), ("order_day", "int"), ("q", "int"))),
)
KEYS = (
    ForeignKey("`main`.`lines`", ("order_id", "order_day"), "`main`.`orders`", ("id", "day")),
    ForeignKey("`main`.`orders`", ("customer",), "`main`.`customers`", ("id",)),
    ForeignKey("`main`.`customers`", ("first",), "`main`.`customers`", ("id",)),
)
OF_ORDER = "{l}.order_id = {o}.id and {l}.order_day = {o}.day"
CALLS = ("count(*)", "sum(l.q)", "max(l.q)", "min(o.v)")
SUMS = "(select order_id, order_day, sum(q) as q from lines group by order_id, order_day)"
PAIRS = "(select distinct order_id, order_day, q from lines where q > 0)"
RANKED = """(select *, cast(count(*) over (partition by order_id, order_day) as int) as n
from lines)"""
OPEN = "(select id as id, day as day, customer, v + 1 as v from orders where v > 0)"
NAMED = "(select o.*, c.segment from orders o left join customers c on o.customer = c.id)"


def query(draw: Draw) -> str:
    """Lines with their orders, and these with their customers, in one of many forms."""
    lines = draw(st.sampled_from(("lines", "lines", SUMS, PAIRS, RANKED)))
    orders = draw(st.sampled_from(("orders", "orders", OPEN, NAMED)))
    join = draw(st.sampled_from(("join", "join", "left join", "right join", "full join")))
    on = OF_ORDER.format(l="l", o="o") + draw(
        st.sampled_from(("", " and l.q > o.v", " and o.v > 1"))
    )
    customers = draw(st.sampled_from(("", "join", "left join", "twice", "exists", "not exists")))
    sql = f"from {lines} l {join} {orders} o on {on}"
    if customers in ("join", "left join"):
        sql += f" {customers} customers c on o.customer = c.id"
    elif customers == "twice":
        sql += " join customers c on o.customer = c.id join customers f on c.first = f.id"
    elif customers:
        sql += f" where {customers} (select 1 from customers c where c.id = o.customer)"
    named = customers and "exists" not in customers
    segment = "c.segment" if named else "o.customer"
    shape = draw(st.sampled_from(("rows", "groups", "distinct", "window", "semi")))
    if shape == "groups":
        call = draw(st.sampled_from(CALLS))
        return f"select {segment} as s, {call} as x {sql} group by {segment}"
    if shape == "distinct":
        return f"select distinct {segment} as s, o.v as x {sql}"
    if shape == "window":
        return f"select {segment} as s, count(*) over (partition by o.customer) as x {sql}"
    if shape == "semi":
        kind = draw(st.sampled_from(("", "not ")))
        found = OF_ORDER.format(l="l", o="o")
        return (
            f"select l.q from {lines} l where {kind}exists (select 1 from orders o where {found})"
        )
    return f"select {segment} as s, o.v as x, l.q as y {sql}"


class Shop:
    """Three tables whose keys hold after each window, and how they change."""

    def __init__(self, database: Database, generator: random.Random) -> None:
        self._database, self._random = database, generator
        self.customers: dict[int, tuple[int, int | None]] = {}
        self.orders: dict[tuple[int, int], tuple[int | None, int]] = {}
        self.lines: list[tuple[tuple[int, int] | None, int]] = []

    def change(self, updates: bool) -> frozenset[str]:
        """Change some tables, and write the windows; updates: some rows get other values."""
        before = self._rows()
        here = self._random
        for _ in range(here.randint(0, 3)):
            new = (here.randint(1, 9), here.randint(1, 2))
            if updates or new not in self._had:
                self.orders[new] = (self._any_customer(), here.randint(0, 3))
        for _ in range(here.randint(0, 2)):
            key = here.randint(1, 9)
            if updates or key not in self._had_customers:
                first = here.choice([None, key, *self.customers])
                self.customers[key] = (here.randint(0, 2), first)
        self._lose()
        for _ in range(here.randint(0, 6)):
            order = here.choice([None, *self.orders])
            self.lines.append((order, here.randint(-1, 3)))
        self.lines = [line for line in self.lines if here.random() > 0.1]
        return self._write(before)

    def start(self) -> frozenset[str]:
        """Fill all tables."""
        for _ in range(4):
            self.change(updates=True)
        return self.change(updates=True)

    @property
    def _had(self) -> set[tuple[int, int]]:
        return set(self.orders)

    @property
    def _had_customers(self) -> set[int]:
        return set(self.customers)

    def _any_customer(self) -> int | None:
        return self._random.choice([None, *self.customers])

    def _lose(self) -> None:
        """Lose some orders and customers, with all that refers to them."""
        gone = {key for key in self.customers if self._random.random() < 0.15}
        while True:
            more = {k for k, (_, first) in self.customers.items() if first in gone} - gone
            if not more:
                break
            gone |= more
        for key in gone:
            del self.customers[key]
        lost = {
            key
            for key, (customer, _) in self.orders.items()
            if customer in gone or self._random.random() < 0.1
        }
        for order in lost:
            del self.orders[order]
        self.lines = [(order, q) for order, q in self.lines if order not in lost]

    def _rows(self) -> dict[str, list[Row]]:
        return {
            "customers": [(key, *values) for key, values in self.customers.items()],
            "orders": [(*key, *values) for key, values in self.orders.items()],
            "lines": [(*(order or (None, 1)), q) for order, q in self.lines],
        }

    def _write(self, before: dict[str, list[Row]]) -> frozenset[str]:
        moved = set()
        for name, rows in self._rows().items():
            plus, minus = _left(rows, before[name]), _left(before[name], rows)
            passing = self._passing(name)
            if plus or minus or passing:
                moved.add(name)
                self._database.change(name, plus + passing, minus + passing)
        return frozenset(moved)

    def _passing(self, name: str) -> list[Row]:
        """Rows that come and go within a window."""
        if self._random.random() < 0.7:
            return []
        key = self._random.randint(1, 9)
        return [(key, 1, key, 1)[: len(self._database.tables[name].columns)]]


def _left(rows: list[Row], others: list[Row]) -> list[Row]:
    """The bag of rows without the others."""
    waiting = list(others)
    left = []
    for row in rows:
        if row in waiting:
            waiting.remove(row)
        else:
            left.append(row)
    return left


FOUND: list[int] = []


@pytest.fixture(scope="module", autouse=True)
def told() -> Iterator[None]:
    """Some views have fewer terms."""
    yield
    assert sum(FOUND) > len(FOUND) / 10


@SETTINGS
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_rows_are_those_of_the_query(data: Any, seed: int) -> None:
    sql = query(data.draw)
    note(sql)
    generator = random.Random(seed)
    database = Database(TABLES)
    shop = Shop(database, generator)
    shop.start()
    view = Maintained(database, sql)
    view.build()
    database.settle()
    for _ in range(ROUNDS):
        moved = shop.change(updates=generator.random() < 0.3)
        FOUND.append(view.merge_along(moved & frozenset(view.sources), KEYS))
        database.settle()
        assert view.shown() == view.wanted()
