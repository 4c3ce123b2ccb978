"""Aggregate calls as sqlglot's own aggregates while it qualifies names.

Functions are read as unknown calls (see `dialect`). Where `b` is also the name of an output,
sqlglot must know that HAVING sum(b) is over the input's column b.
"""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.functions import AGGREGATES


def marked(query: exp.Query) -> exp.Query:
    """The query with its aggregate calls as sqlglot's; changed in place."""
    return _swapped(query, exp.Anonymous, exp.AnonymousAggFunc)


def unmarked(query: exp.Query) -> exp.Query:
    """The query with its aggregate calls as the other rooms know them; changed in place."""
    return _swapped(query, exp.AnonymousAggFunc, exp.Anonymous)


def _swapped(query: exp.Query, old: type[exp.Func], new: type[exp.Func]) -> exp.Query:
    for call in [node for node in query.find_all(old) if node.name.lower() in AGGREGATES]:
        call.replace(new(this=call.this, expressions=call.expressions))
    return query
