"""How large a query may be for its change to be worked out; what is larger is refreshed in full."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dbt.adapters.ivm_spark.view.reasons import NotMaintained, not_supported


@contextmanager
def not_too_deep() -> Iterator[None]:
    """Around whatever walks a query: Python's stack ends where a query is nested too deep.

    sqlglot, too, takes some frames for each level. Raises NotMaintained.
    """
    try:
        yield
    except RecursionError as error:
        raise not_supported("a query nested too deep") from error


def too_many_tables(most: int) -> NotMaintained:
    """The reason for a query that reads tables at too many places, CTEs and views expanded."""
    return not_supported(f"tables read at more than {most} places, CTEs and views expanded")
