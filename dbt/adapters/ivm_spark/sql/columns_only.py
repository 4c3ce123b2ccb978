"""Views that only select columns of one table: no session setting changes their rows."""

from __future__ import annotations

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from dbt.adapters.ivm_spark.algebra.dialect import IvmSpark

_KNOWN = (
    exp.Select,
    exp.From,
    exp.Table,
    exp.TableAlias,
    exp.Alias,
    exp.Column,
    exp.Star,
    exp.Identifier,
)


def has_columns_only(text: str) -> bool:
    """Return whether a query is a SELECT of columns, renamed or not, from one relation."""
    try:
        query = sqlglot.parse_one(text, dialect=IvmSpark)
    except SqlglotError:
        return False
    one = isinstance(query, exp.Select) and not query.args.get("distinct")
    return one and all(isinstance(node, _KNOWN) for node in query.walk())
