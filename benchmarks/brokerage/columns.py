"""The columns of the brokerage's sources as expressions over numbered rows. Pure.

The rows have `n`, a number, and most have `at`, the seconds since the brokerage opened. Versions of
a customer, an account, a security or a company have `c`, whose version it is, and `v`, which one;
of prospects `c` is the customer whose name they have.
"""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.brokerage.size import Size, hashed, money, one_of

START = 1_577_836_800
"""The second at which the brokerage opens: 2020-01-01 in UTC."""
FIRST_DAY = "date'2020-01-01'"

Columns = Mapping[str, tuple[str, str]]
"""By column its type and the expression."""

_AT = f"timestamp_seconds({START} + at)"


def columns(size: Size) -> dict[str, Columns]:
    """Return the columns of every source."""
    trades = _trades(size)
    return {
        "daily_prices": _PRICES,
        "trades": trades,
        "trades_archive": {
            name: ("string", f"cast({v} as {t})") for name, (t, v) in trades.items()
        },
        "trade_statuses": _STATUSES,
        "customer_changes": _CUSTOMERS,
        "account_changes": {
            "change_id": ("bigint", "n"),
            "account_id": ("bigint", "c"),
            "changed_at": ("timestamp", _AT),
            "action": ("string", "if(v = 0, 'ADDACCT', 'UPDACCT')"),
            "customer_id": ("bigint", _sparse("customer", f"pmod(c, {size.customers})")),
            "broker_id": ("bigint", _sparse("broker", hashed("broker", size.brokers, "n"))),
            "description": ("string", _sparse("description", "concat('Account ', c, '/', v)")),
            "tax_status": ("int", _sparse("tax", hashed("tax status", 3, "n"))),
        },
        "cash_movements": {
            "movement_id": ("bigint", "n"),
            "account_id": ("bigint", hashed("account", size.accounts, "n")),
            "moved_at": ("timestamp", _AT),
            "amount": ("decimal(12,2)", money(-400_000, 900_000, "amount", "n")),
            "note": ("string", one_of("deposit withdrawal dividend fee", "note", "n")),
            "loaded_at": ("timestamp", f"timestamp_seconds({START} + at + step * 3600)"),
        },
        "holdings": {
            "holding_id": ("bigint", "n"),
            "trade_id": ("bigint", "n"),
            "opened_by": ("bigint", "n - pmod(n, 3)"),
            "quantity_before": ("int", hashed("before", 900, "n")),
            "quantity_after": ("int", hashed("after", 900, "n")),
        },
        "watches": {
            "watch_id": ("bigint", "n"),
            "customer_id": ("bigint", hashed("watcher", size.customers, "n")),
            "symbol": ("string", _symbol(hashed("watched", size.symbols, "n"))),
            "action": ("string", "if(step = 0, 'ACTV', 'CNCL')"),
            "noted_at": ("timestamp", _AT),
        },
        "company_records": _COMPANIES,
        "security_records": {
            **_SECURITIES,
            "company_id": ("bigint", f"pmod(c, {size.companies})"),
        },
        "financials": _FINANCIALS,
        "prospects": _PROSPECTS,
        "brokers": _BROKERS,
        "calendar": {"day": ("date", _date("n"))},
        "industries": {
            "industry_code": ("string", "concat('I', n)"),
            "industry": ("string", "concat('Industry ', n)"),
            "sector": ("string", "concat('Sector ', pmod(n, 7))"),
        },
        "tax_rates": {
            "tax_code": ("string", "if(n < 20, concat('N', n), concat('L', n - 20))"),
            "tax_name": ("string", "concat('Tax ', n)"),
            "rate": ("decimal(6,5)", hashed("rate", 40_000, "n") + " * 0.00001"),
        },
    }


def _date(day: str) -> str:
    return f"date_add({FIRST_DAY}, cast({day} as int))"


def _symbol(number: str) -> str:
    return f"concat('SYM', lpad({number}, 5, '0'))"


def _sparse(column: str, value: str) -> str:
    """Return a value that is NULL in most versions after the first: a change names what changes."""
    return f"if(v = 0 or {hashed(f'has {column}', 7, 'n')} = 0, {value}, null)"


def _price(low: int, wide: int, salt: str) -> str:
    """Return a price near that of the symbol, as text."""
    own = money(2_000, 40_000, "own", "s")
    return f"cast({own} + {money(low, wide, salt, 's', 'd')} as decimal(10,2))"


_PRICES: Columns = {
    "symbol": ("string", _symbol("s")),
    "price_date": ("string", _date("d")),
    "open_price": ("string", _price(200, 500, "open")),
    "close_price": ("string", _price(200, 500, "close")),
    "high_price": ("string", _price(700, 500, "high")),
    "low_price": ("string", _price(0, 200, "low")),
    "volume": ("bigint", hashed("volume", 100_000, "s", "d")),
}


def _trades(size: Size) -> Columns:
    return {
        "trade_id": ("bigint", "n"),
        # some accounts never trade
        "account_id": ("bigint", hashed("account", size.accounts * 3 // 4, "n")),
        "symbol": ("string", _symbol(hashed("symbol", size.symbols, "n"))),
        "trade_type": ("string", one_of("TMB TMS TLB TLS TSL", "type", "n")),
        "is_cash": ("boolean", f"{hashed('cash', 5, 'n')} <> 0"),
        "quantity": ("int", f"1 + {hashed('quantity', 900, 'n')}"),
        "bid_price": ("decimal(10,2)", money(500, 40_000, "bid", "n")),
        "trade_price": ("decimal(10,2)", money(500, 40_000, "price", "n")),
        "fee": ("decimal(10,2)", money(100, 900, "fee", "n")),
        "commission": ("decimal(10,2)", money(100, 4_000, "commission", "n")),
        "tax": ("decimal(10,2)", money(0, 2_000, "tax", "n")),
        "executed_by": ("string", f"concat('Trader ', {hashed('trader', 50, 'n')})"),
        "placed_at": ("timestamp", _AT),
    }


_STATUSES: Columns = {
    "trade_id": ("bigint", "n"),
    "status": (
        "string",
        "case when step = 0 then if(pmod(n, 3) = 0, 'PNDG', 'SBMT') "
        "when pmod(n, 10) = 0 then 'CNCL' else 'CMPT' end",
    ),
    "changed_at": ("timestamp", _AT),
}
_ATTRIBUTES = {
    "tax_id": f"concat({hashed('tax a', 900, 'c')}, '-', {hashed('tax b', 9_999, 'n')})",
    "gender": one_of("m f u M F", "gender", "n"),
    "last_name": f"concat('  Last', {hashed('last', 3_000, 'c')}, ' ')",
    "first_name": f"concat('First', {hashed('first', 300, 'n')})",
    "middle_initial": one_of("A B C D E F G", "middle", "n"),
    "address_1": f"concat({hashed('street', 999, 'n')}, ' Main Street')",
    "address_2": f"concat('Floor ', {hashed('floor', 40, 'n')})",
    "postal_code": f"lpad({hashed('postal', 99_999, 'n')}, 5, '0')",
    "city": f"concat('City', {hashed('city', 200, 'n')})",
    "state": one_of("CA NY TX WA OR ON QC BC", "state", "n"),
    "country": one_of("US US US CA CA MX", "country", "n"),
    "phone_1": f"concat('555-', {hashed('phone 1', 10_000, 'n')})",
    "phone_2": f"concat('556-', {hashed('phone 2', 10_000, 'n')})",
    "phone_3": f"concat('557-', {hashed('phone 3', 10_000, 'n')})",
    "email_1": f"concat('C', c, '.', {hashed('email 1', 1_000, 'n')}, '@Example.com')",
    "email_2": f"concat('c', c, '.', {hashed('email 2', 1_000, 'n')}, '@example.org')",
    "local_tax": f"concat('L', {hashed('local', 40, 'n')})",
    "national_tax": f"concat('N', {hashed('national', 20, 'n')})",
}
_CUSTOMERS: Columns = {
    "change_id": ("bigint", "n"),
    "customer_id": ("bigint", "c"),
    "action": (
        "string",
        f"case when v = 0 then 'NEW' when {hashed('inactive', 20, 'n')} = 0 then 'INACT' "
        "else 'UPDCUST' end",
    ),
    "changed_at": ("timestamp", _AT),
    "tier": ("int", _sparse("tier", f"1 + {hashed('tier', 3, 'n')}")),
    "birth_date": ("string", _sparse("birth_date", _date("-pmod(c, 18000)"))),
    **{name: ("string", _sparse(name, value)) for name, value in _ATTRIBUTES.items()},
}
_COMPANIES: Columns = {
    "company_id": ("bigint", "c"),
    "posted_at": ("timestamp", _AT),
    "company_name": ("string", "concat('Company ', c)"),
    "industry_code": ("string", f"concat('I', {hashed('industry', 40, 'c')})"),
    "rating": ("string", one_of("AAA AA A BBB BB B", "rating", "n")),
    "ceo": ("string", f"concat('Chief ', {hashed('ceo', 900, 'n')})"),
    "country": ("string", one_of("US CA MX", "country", "c")),
    "founded": ("string", _date("-pmod(c, 9000)")),
}
_SECURITIES: Columns = {
    "symbol": ("string", _symbol("c")),
    "posted_at": ("timestamp", _AT),
    "security_name": ("string", "concat('Security ', c)"),
    "issue_type": ("string", one_of("COMMON PREF_A PREF_B", "issue", "c")),
    "exchange": ("string", one_of("NYSE NASDAQ AMEX PCX", "exchange", "c")),
    "shares": ("bigint", f"1000 + {hashed('shares', 1_000_000, 'n')}"),
    "dividend": ("decimal(10,2)", money(0, 500, "dividend", "n")),
}
_FINANCIALS: Columns = {
    "company_id": ("bigint", "c"),
    "fiscal_year": ("int", "2018 + v div 4"),
    "fiscal_quarter": ("int", "1 + v % 4"),
    "quarter_start": (
        "string",
        "make_date(cast(2018 + v div 4 as int), cast(1 + 3 * (v % 4) as int), 1)",
    ),
    "revenue": ("string", f"cast({money(1_000_000, 90_000_000, 'revenue', 'n')} as decimal(15,2))"),
    "earnings": ("string", f"cast({money(-900_000, 9_000_000, 'earned', 'n')} as decimal(15,2))"),
    "shares_out": ("bigint", f"1000 + {hashed('shares out', 100_000, 'n')}"),
}
_PROSPECTS: Columns = {
    "prospect_id": ("bigint", "n"),
    "last_name": ("string", f"concat('Last', {hashed('last', 3_000, 'c')})"),
    "first_name": ("string", f"concat('First', {hashed('first', 300, 'c')})"),
    "city": ("string", f"concat('City', {hashed('city', 200, 'n')})"),
    "income": ("int", f"10000 + {hashed('income', 200_000, 'n')}"),
    "cars": ("int", hashed("cars", 5, "n")),
    "credit_rating": ("int", f"300 + {hashed('credit', 550, 'n')}"),
    "net_worth": ("decimal(15,2)", money(0, 200_000_000, "worth", "n")),
    "batch": ("int", "0"),
}
_BROKERS: Columns = {
    "broker_id": ("bigint", "n"),
    "manager_id": ("bigint", "n div 10"),
    "broker_name": ("string", "concat('Broker ', n)"),
    "job_code": ("int", "if(pmod(n, 10) = 9, 300, 314)"),
    "branch": ("string", f"concat('Branch ', {hashed('branch', 30, 'n')})"),
}
