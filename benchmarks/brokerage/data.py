"""Statements that create the tables of the brokerage. Pure."""

from __future__ import annotations

from benchmarks.brokerage.columns import columns
from benchmarks.brokerage.size import (
    ACCOUNT_VERSIONS,
    COMPANY_VERSIONS,
    CUSTOMER_VERSIONS,
    DAY,
    QUARTERS,
    SECURITY_VERSIONS,
    Size,
    hashed,
)

CALENDAR_AFTER = 1_500
"""Days of the calendar after the last day with prices."""
INDUSTRIES, TAX_RATES = 40, 60
FEED = "using delta tblproperties (delta.enableChangeDataFeed = true)"
TABLES = tuple(columns(Size(1_000)))
SOURCES_YML = f"""
sources:
  - name: brokerage
    schema: "{{{{ target.schema }}}}"
    tables: [{", ".join(f"{{name: {table}}}" for table in TABLES)}]
"""


def load(size: Size, schema: str) -> list[str]:
    """Return the statements that create and fill the tables."""
    return [
        f"create or replace table {schema}.{table} {FEED} as {rows(size, table, numbered)}"
        for table, numbered in _first(size).items()
    ]


def rows(size: Size, table: str, numbered: str) -> str:
    """Return the query for a table's rows; `numbered` is a query for numbered rows."""
    made = ", ".join(
        f"cast({value} as {kind}) as {name}" for name, (kind, value) in columns(size)[table].items()
    )
    return f"select {made} from ({numbered})"


def _first(size: Size) -> dict[str, str]:
    """Return the numbered rows of every table before the first round."""
    trades = _spread(size, size.trades)
    return {
        "daily_prices": f"select id div {size.days} as s, id % {size.days} as d "
        f"from range({size.symbols * size.days})",
        "trades": trades,
        # numbers below zero, so that none is a new trade's
        "trades_archive": "select -1 - id as n, "
        f"{hashed('archived', size.days * DAY, 'id')} as at from range({size.archived})",
        "trade_statuses": statuses(trades),
        "customer_changes": _versions(size, size.customers, CUSTOMER_VERSIONS),
        "account_changes": _versions(size, size.accounts, ACCOUNT_VERSIONS),
        "cash_movements": twice(_spread(size, size.rows), 100),
        "holdings": trades,
        "watches": twice(_spread(size, size.trades), 4, DAY),
        "company_records": _versions(size, size.companies, COMPANY_VERSIONS),
        "security_records": _versions(size, size.symbols, SECURITY_VERSIONS),
        "financials": "select id as n, "
        f"id div {QUARTERS} as c, id % {QUARTERS} as v from range({size.companies * QUARTERS})",
        # every fourth prospect is a customer
        "prospects": f"select id as n, if(id % 4 = 0, id % {size.customers}, -1 - id) as c "
        f"from range({size.prospects})",
        "brokers": f"select id as n from range({size.brokers})",
        "calendar": f"select id as n from range({size.days + CALENDAR_AFTER})",
        "industries": f"select id as n from range({INDUSTRIES})",
        "tax_rates": f"select id as n from range({TAX_RATES})",
    }


def _spread(size: Size, count: int) -> str:
    """Return `count` numbered rows, spread over the days."""
    return f"select id as n, {hashed('at', size.days * DAY, 'id')} as at from range({count})"


def _versions(size: Size, keys: int, versions: int) -> str:
    """Return the versions of every key: the first on day 0, the others in parts of equal length."""
    part = size.days // versions * DAY
    at = f"id div {keys} * {part} + if(id < {keys}, 0, {hashed('at', part, 'id')})"
    return (
        f"select id as n, id % {keys} as c, id div {keys} as v, {at} as at "
        f"from range({keys * versions})"
    )


def twice(numbered: str, every: int, later: int = 0) -> str:
    """Return the rows as step 0, and one of `every` again as step 1, `later` seconds after it."""
    return (
        f"select n, at + step * {later} as at, step from ({numbered}) "
        f"lateral view explode(if(n % {every} = 0, array(0, 1), array(0))) as step"
    )


def statuses(trades: str) -> str:
    """Return the statuses of trades: step 0 is placed, step 1 ended. 1 of 20 has not ended yet."""
    return (
        f"select n, at + step * (60 + {hashed('lasts', 7_200, 'n')}) as at, step from ({trades}) "
        f"lateral view explode(array(0, 1)) as step "
        f"where step = 0 or not {pending('n')}"
    )


def pending(number: str) -> str:
    """Return the predicate for trades that have not ended when they are loaded."""
    return f"{hashed('pending', 20, number)} = 0"
