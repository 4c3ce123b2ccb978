"""Aggregate calls in the form that sqlglot recognizes while it qualifies names.

The dialect reads functions as unknown calls (see `dialect`). If `b` is also the name of an output,
sqlglot must know that HAVING sum(b) reads the input's column b.
"""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.functions import AGGREGATES


def marked(query: exp.Query) -> exp.Query:
    """Return the query, changed in place, with its aggregate calls as sqlglot's own."""
    return _swapped(query, exp.Anonymous, exp.AnonymousAggFunc)


def unmarked(query: exp.Query) -> exp.Query:
    """Return the query, changed in place, with its aggregate calls as the other rooms know them."""
    return _swapped(query, exp.AnonymousAggFunc, exp.Anonymous)


def _swapped(query: exp.Query, old: type[exp.Func], new: type[exp.Func]) -> exp.Query:
    for call in [node for node in query.find_all(old) if node.name.lower() in AGGREGATES]:
        call.replace(new(this=call.this, expressions=call.expressions))
    return query
