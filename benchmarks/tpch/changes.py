"""TPC-H's refresh sets as SQL statements for Spark.

RF1 (new orders with their lines) and RF2 (orders removed with their lines) are TPC-H's own, section
2.5 of its specification; it has no updates, so lines, orders and customers are updated too. Which
rows change depends on their keys and the round alone, so that a round is the same wherever it is
sent: neighbours, as in the refresh sets that TPC-H's own generator writes, or rows that lie
scattered over the tables, the hardest case for whoever looks for them.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path

_MILLION = 1_000_000
_KEYS_OF_A_ROUND = 1_000_000_000
_ORDER_KEYS, _CUSTOMER_KEYS = 6_000_000, 150_000
"""Keys at scale factor 1; of 32 order keys 8 are used (4.2.3 of the specification)."""


@dataclass(frozen=True)
class Changes:
    """The refresh sets of the tables in `schema`, which were loaded from the files in `folder`.

    Fractions are of the orders (0.000001 to 1); a round has a number of its own, from 1. near: the
    tables' scale factor if rows with neighbouring keys are to change, None for scattered rows.
    """

    folder: Path
    schema: str
    near: float | None = None

    def refresh_set(self, fraction: float, round_: int) -> list[str]:
        """RF1, RF2 and updates of `fraction` each; the tables keep their size."""
        return [
            *self.inserts(fraction, round_),
            # of the orders that there are now, so that as many go as came
            *self.deletes(fraction / (1 + fraction), round_),
            *self.updates(fraction, round_),
        ]

    def inserts(self, fraction: float, round_: int) -> list[str]:
        """RF1: as many new orders, with their lines, as `fraction` of the orders at first.

        They are copies of orders in the files, whose keys no other round has copied to these.
        """
        key = _KEYS_OF_A_ROUND * round_
        return [
            f"insert into {self.schema}.{table} select {column} + {key}, * except ({column}) "
            f"from parquet.`{self.folder / f'{table}.parquet'}` "
            f"where {self._orders(column, f'rf1 {round_}', fraction)}"
            for table, column in (("orders", "o_orderkey"), ("lineitem", "l_orderkey"))
        ]

    def deletes(self, fraction: float, round_: int) -> list[str]:
        """RF2: `fraction` of the orders and their lines."""
        salt = f"rf2 {round_}"
        return [
            f"delete from {self.schema}.{table} where {self._orders(key, salt, fraction)}"
            for table, key in (("orders", "o_orderkey"), ("lineitem", "l_orderkey"))
        ]

    def updates(self, fraction: float, round_: int) -> list[str]:
        """`fraction` of the lines, and a tenth of it of the orders and of the customers."""
        few = max(fraction / 10, 1 / _MILLION)
        salt = f"lines {round_}"
        lines = (
            chosen("l_orderkey * 8 + l_linenumber", salt, fraction)
            if self.near is None
            else self._orders("l_orderkey", salt, fraction)
        )
        customers = self._chosen("c_custkey", f"customers {round_}", few, _CUSTOMER_KEYS)
        return [
            f"update {self.schema}.lineitem set l_quantity = pmod(l_quantity, 50) + 1, "
            "l_extendedprice = l_extendedprice + 10, l_receiptdate = date_add(l_receiptdate, 9), "
            f"l_returnflag = 'R' where {lines}",
            *self.orders_moved(few, round_),
            f"update {self.schema}.customer set c_acctbal = c_acctbal - 1000, "
            f"c_mktsegment = 'BUILDING' where {customers}",
        ]

    def orders_moved(self, fraction: float, round_: int) -> list[str]:
        """`fraction` of the orders get another customer."""
        orders = self._orders("o_orderkey", f"orders {round_}", fraction)
        return [
            f"update {self.schema}.orders set o_orderpriority = '1-URGENT', "
            f"o_custkey = o_custkey + 1 where {orders}"
        ]

    def dimension_changes(self, round_: int) -> list[str]:
        """A twentieth of the suppliers, parts and offers change, or go."""
        suppliers = chosen("s_suppkey", f"suppliers {round_}", 0.05)
        parts = chosen("p_partkey", f"parts {round_}", 0.05)
        offers = chosen("ps_partkey * 31 + ps_suppkey", f"offers {round_}", 0.05)
        gone = chosen("ps_partkey * 37 + ps_suppkey", f"gone {round_}", 0.02)
        return [
            f"update {self.schema}.supplier set s_nationkey = pmod(s_nationkey + 7, 25), "
            f"s_comment = 'Customer Complaints' where {suppliers}",
            f"update {self.schema}.part set p_size = 15, p_type = 'PROMO BRASS', "
            f"p_name = 'forest green' where {parts}",
            f"update {self.schema}.partsupp set ps_supplycost = ps_supplycost / 2, "
            f"ps_availqty = 1 where {offers}",
            f"delete from {self.schema}.partsupp where {gone}",
        ]

    def _orders(self, key: str, salt: str, fraction: float) -> str:
        return self._chosen(key, salt, fraction, _ORDER_KEYS)

    def _chosen(self, key: str, salt: str, fraction: float, keys: int) -> str:
        if self.near is None:
            return chosen(key, salt, fraction)
        return neighbours(key, salt, fraction, round(keys * self.near))


def neighbours(key: str, salt: str, fraction: float, keys: int) -> str:
    """A predicate that is true for `fraction` of the keys 0 to `keys`, which lie side by side."""
    wide = max(round(fraction * keys), 1)
    first = zlib.crc32(salt.encode()) % (keys - wide + 1)
    return f"{key} >= {first} and {key} < {first + wide}"


def chosen(key: str, salt: str, fraction: float) -> str:
    """A predicate that is true for `fraction` of the keys; another salt, other keys.

    Raises ValueError for a fraction that is not within a millionth and 1.
    """
    parts = round(fraction * _MILLION)
    if not 1 <= parts <= _MILLION:
        raise ValueError(f"a fraction must be from 0.000001 to 1, not {fraction}")
    return f"pmod(xxhash64({key}, '{salt}'), {_MILLION}) < {parts}"
