"""TPC-H's refresh sets, on DuckDB with a hash of its own in place of Spark's."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
import sqlglot

from benchmarks.tpch.changes import Changes, chosen, neighbours

ORDERS = 20_000
FOLDER = Path("/files")
LINES_OF_AN_ORDER = 3


class Shop:
    """The tables that refresh sets change, and the files they were loaded from."""

    def __init__(self, near: float | None = None) -> None:
        self._db = duckdb.connect(":memory:")
        self._db.execute("create macro xxhash64(key, salt) as hash(key, salt)::hugeint")
        self._db.execute("create macro pmod(a, b) as ((a % b) + b) % b")
        self._db.execute("create schema parquet; create schema s")
        tables = {
            "orders": "select i::bigint as o_orderkey, i % 700 as o_custkey, '-' as "
            f"o_orderpriority from range(1, {ORDERS + 1}) r(i)",
            "lineitem": "select i::bigint as l_orderkey, j as l_linenumber, "
            "1::decimal(15,2) as l_quantity, 1::decimal(15,2) as l_extendedprice, "
            "date '2020-01-01' as l_receiptdate, 'N' as l_returnflag "
            f"from range(1, {ORDERS + 1}) r(i), range(1, {LINES_OF_AN_ORDER + 1}) q(j)",
            "customer": "select i as c_custkey, 0::decimal(15,2) as c_acctbal, 'X' as c_mktsegment "
            "from range(700) r(i)",
        }
        for name, query in tables.items():
            self._db.execute(f"create table s.{name} as {query}")
            self._db.execute(f'create view parquet."{FOLDER}/{name}.parquet" as {query}')
        self.changes = Changes(FOLDER, "s", near)

    def send(self, statements: list[str]) -> None:
        for statement in statements:
            self._db.execute(sqlglot.transpile(statement, read="spark", write="duckdb")[0])

    def value(self, query: str) -> int:
        row = self._db.execute(query).fetchone()
        assert row is not None
        return int(row[0])

    def count(self, table: str, where: str = "true") -> int:
        return self.value(f"select count(*) from s.{table} where {where}")


@pytest.mark.parametrize("fraction", [0.001, 0.01, 0.1, 0.5, 1])
def test_a_fraction_of_the_orders_with_all_their_lines(fraction: float) -> None:
    shop = Shop()
    shop.send(shop.changes.inserts(fraction, 1))
    new = shop.count("orders", f"o_orderkey > {ORDERS}")
    assert new == pytest.approx(fraction * ORDERS, rel=0.1, abs=12)
    assert shop.count("lineitem", f"l_orderkey > {ORDERS}") == new * LINES_OF_AN_ORDER
    shop = Shop()
    shop.send(shop.changes.deletes(fraction, 1))
    left = shop.count("orders")
    assert ORDERS - left == pytest.approx(fraction * ORDERS, rel=0.1, abs=12)
    assert shop.count("lineitem") == left * LINES_OF_AN_ORDER


@pytest.mark.parametrize("fraction", [0.01, 0.5])
def test_rounds_one_after_another_keep_size_and_keys(fraction: float) -> None:
    shop = Shop()
    for round_ in range(1, 7):
        shop.send(shop.changes.refresh_set(fraction, round_))
        assert shop.count("orders") == pytest.approx(ORDERS, rel=0.05)
        distinct = shop.value("select count(distinct o_orderkey) from s.orders")
        assert distinct == shop.count("orders")
        assert shop.count("lineitem") == shop.count("orders") * LINES_OF_AN_ORDER
    assert shop.count("orders", f"o_orderkey > {ORDERS}") > fraction * ORDERS


def test_a_round_changes_other_rows_than_the_last() -> None:
    shop = Shop()
    shop.send(shop.changes.deletes(0.1, 1))
    first = shop.count("orders")
    shop.send(shop.changes.deletes(0.1, 1))
    assert shop.count("orders") == first
    shop.send(shop.changes.deletes(0.1, 2))
    assert shop.count("orders") < first


def test_updates_reach_lines_orders_and_customers() -> None:
    shop = Shop()
    shop.send(shop.changes.updates(0.1, 1))
    lines = ORDERS * LINES_OF_AN_ORDER
    assert shop.count("lineitem", "l_returnflag = 'R'") == pytest.approx(lines / 10, rel=0.1)
    moved = shop.count("orders", "o_orderpriority = '1-URGENT' and o_custkey <> o_orderkey % 700")
    assert moved == pytest.approx(ORDERS / 100, rel=0.3)
    assert 0 < shop.count("customer", "c_mktsegment = 'BUILDING'") < 30


def test_a_near_round_changes_as_many_adjacent_orders() -> None:
    shop = Shop(near=ORDERS / 6_000_000)
    shop.send(shop.changes.refresh_set(0.01, 1))
    assert shop.count("orders", f"o_orderkey > {ORDERS}") == 200
    assert shop.count("orders", f"o_orderkey <= {ORDERS}") == pytest.approx(ORDERS - 198, abs=1)
    changed = shop.count("lineitem", "l_returnflag = 'R'")
    assert 190 * LINES_OF_AN_ORDER < changed <= 200 * LINES_OF_AN_ORDER
    apart = "select max(l_orderkey) - min(l_orderkey) from s.lineitem where l_returnflag = 'R'"
    assert shop.value(apart) < 200


def test_neighbours_lie_within_the_keys() -> None:
    assert neighbours("k", "salt", 1, 500) == "k >= 0 and k < 500"
    assert neighbours("k", "salt", 0.01, 500) != neighbours("k", "pepper", 0.01, 500)


def test_the_smallest_refresh_set_still_moves_customers() -> None:
    statements = Changes(FOLDER, "s").refresh_set(0.000001, 1)
    assert [s for s in statements if s.endswith("< 1")] == statements


@pytest.mark.parametrize("fraction", [0, 0.0000001, -0.1, 1.1])
def test_a_fraction_out_of_bounds_is_refused(fraction: float) -> None:
    with pytest.raises(ValueError, match=r"from 0\.000001 to 1"):
        chosen("k", "salt", fraction)
