"""How large the brokerage is, and the hashes that its values are made of. Pure."""

from __future__ import annotations

from dataclasses import dataclass

DAY = 86_400
CUSTOMER_VERSIONS, ACCOUNT_VERSIONS, SECURITY_VERSIONS, COMPANY_VERSIONS = 5, 3, 3, 3
QUARTERS = 16
LEAST_ROWS = 500


@dataclass(frozen=True)
class Size:
    """The number of rows of each source; `rows` is that of the largest ones.

    Raises ValueError for fewer than LEAST_ROWS.
    """

    rows: int

    def __post_init__(self) -> None:
        if self.rows < LEAST_ROWS:
            raise ValueError(f"the largest source has at least {LEAST_ROWS} rows, not {self.rows}")

    @property
    def symbols(self) -> int:
        """Symbols on the market; each has a price on every day."""
        return max(8, self.rows // 1000)

    @property
    def days(self) -> int:
        """Days with prices."""
        return self.rows // self.symbols

    @property
    def companies(self) -> int:
        return max(4, self.symbols // 2)

    @property
    def customers(self) -> int:
        return max(20, self.rows // 50)

    @property
    def accounts(self) -> int:
        return 2 * self.customers

    @property
    def trades(self) -> int:
        """Trades; each has one holding and up to two statuses. There are as many watches."""
        return self.rows // 2

    @property
    def archived(self) -> int:
        """Trades in the archive."""
        return self.rows // 5

    @property
    def prospects(self) -> int:
        return max(20, self.rows // 20)

    @property
    def brokers(self) -> int:
        return max(10, self.rows // 500)


def hashed(salt: str, below: int, *of: str) -> str:
    """Return an expression for a number from 0 to `below` that depends on `of` and the salt."""
    return f"pmod(xxhash64({', '.join(of)}, '{salt}'), {below})"


def one_of(words: str, salt: str, *of: str) -> str:
    """Return an expression for one of the words."""
    every = words.split()
    listed = ", ".join(f"'{word}'" for word in every)
    return f"element_at(array({listed}), cast(1 + {hashed(salt, len(every), *of)} as int))"


def money(low: int, wide: int, salt: str, *of: str) -> str:
    """Return an expression for an amount of `low` to `low + wide` cents."""
    return f"({low} + {hashed(salt, wide, *of)}) * 0.01"
