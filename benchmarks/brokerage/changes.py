"""The changes of one round: mostly inserts, a few updates and deletes, one replaced table. Pure."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from benchmarks.brokerage.columns import columns
from benchmarks.brokerage.data import FEED, pending, rows, statuses, twice
from benchmarks.brokerage.size import (
    ACCOUNT_VERSIONS,
    COMPANY_VERSIONS,
    CUSTOMER_VERSIONS,
    DAY,
    SECURITY_VERSIONS,
    Size,
    hashed,
)
from benchmarks.tpch.changes import chosen

_NUMBERS_OF_A_ROUND = 1_000_000_000
CHANGED = (
    *("daily_prices", "trades", "trade_statuses", "customer_changes", "account_changes"),
    *("cash_movements", "holdings", "watches", "company_records", "security_records"),
    *("prospects", "brokers"),
)
"""The tables that a round changes; the others never change."""


@dataclass(frozen=True)
class Round:
    """One round of changes.

    number: 1, 2 and so on; fraction: how much of each table changes, measured on its first rows;
    first_day: the day on which the round begins, where 0 is the first day with prices.
    """

    size: Size
    number: int
    fraction: float
    first_day: int

    @property
    def days(self) -> int:
        """The number of new days with prices: the fraction of the first days, at least 1."""
        return self._of(self.size.days)

    def statements(self, schema: str) -> list[str]:
        """Return the statements that change the tables."""
        return [*self._inserts(schema), *self._updates(schema), *self._deletes(schema)]

    def _inserts(self, schema: str) -> list[str]:
        size = self.size
        trades = self._spread(self._of(size.trades))
        placed = {
            "daily_prices": f"select id % {size.symbols} as s, "
            f"{self.first_day} + id div {size.symbols} as d "
            f"from range({size.symbols * self.days})",
            "trades": trades,
            "trade_statuses": f"{statuses(trades)} union all {self._ended()}",
            "customer_changes": self._versions(size.customers, CUSTOMER_VERSIONS),
            "account_changes": self._versions(size.accounts, ACCOUNT_VERSIONS),
            "cash_movements": twice(self._spread(self._of(size.rows)), 100),
            "holdings": trades,
            "watches": twice(self._spread(self._of(size.trades)), 4, 3_600),
            "company_records": self._versions(size.companies, COMPANY_VERSIONS, born=False),
            "security_records": self._versions(size.symbols, SECURITY_VERSIONS, born=False),
        }
        return [
            f"insert into {schema}.{table} {rows(size, table, numbered)}"
            for table, numbered in placed.items()
        ]

    def _updates(self, schema: str) -> list[str]:
        """Correct trades and brokers; replace the prospects."""
        size = self.size
        changed = self._some("prospect_id", "prospects", self.fraction, size.prospects)
        new = {"income": "income + 1000", "batch": str(self.number)}
        prospects = ", ".join(
            f"cast(if({changed}, {new[name]}, {name}) as {kind}) as {name}" if name in new else name
            for name, (kind, _) in columns(size)["prospects"].items()
        )
        return [
            f"update {schema}.trades set fee = fee + 1, tax = tax + 0.5 "
            f"where {self._some('trade_id', 'fees', self.fraction / 10, size.trades)}",
            f"update {schema}.brokers set branch = 'Branch {self.number % 30}' "
            f"where {self._some('broker_id', 'moved', self.fraction, size.brokers)}",
            f"create or replace table {schema}.prospects {FEED} as "
            f"select {prospects} from {schema}.prospects",
        ]

    def _deletes(self, schema: str) -> list[str]:
        few, size = self.fraction / 20, self.size
        return [
            f"delete from {schema}.cash_movements "
            f"where {self._some('movement_id', 'reversed', few, size.rows)}",
            f"delete from {schema}.watches "
            f"where {self._some('watch_id', 'forgotten', few, size.trades)}",
        ]

    def _of(self, count: int) -> int:
        """Return the fraction of `count`, at least 1."""
        return max(1, round(self.fraction * count))

    @property
    def _begin(self) -> int:
        return self.first_day * DAY

    def _spread(self, count: int) -> str:
        """Return `count` new numbered rows, spread over the days of the round."""
        first = self.number * _NUMBERS_OF_A_ROUND
        at = hashed(f"at {self.number}", self.days * DAY, "id")
        return f"select {first} + id as n, {self._begin} + {at} as at from range({count})"

    def _versions(self, keys: int, versions: int, born: bool = True) -> str:
        """Return new versions of keys; with `born`, every fourth row is the first version of a new
        key. Each row has a second of its own."""
        first = self.number * _NUMBERS_OF_A_ROUND
        new = "id % 4 = 3" if born else "false"
        old = hashed(f"key {self.number}", keys, "id")
        count = self._of(keys * versions)
        return (
            f"select {first} + id as n, if({new}, {first} + id, {old}) as c, "
            f"if({new}, 0, {versions}) as v, {self._begin} + id as at from range({count})"
        )

    def _ended(self) -> str:
        """Return the end of some trades that were pending when they were loaded."""
        ended = chosen("id", f"ended {self.number}", self.fraction)
        return (
            f"select id as n, {self._begin} + {hashed('ended', DAY, 'id')} as at, 1 as step "
            f"from range({self.size.trades}) where {pending('id')} and {ended}"
        )

    def _some(self, key: str, what: str, fraction: float, count: int) -> str:
        """Return a predicate for a fraction of the keys, and for one of the first `count`."""
        salt = f"{what} {self.number}"
        one = zlib.crc32(salt.encode()) % count
        return f"({key} = {one} or {chosen(key, salt, max(fraction, 1e-6))})"
