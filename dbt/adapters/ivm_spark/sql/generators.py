"""Turns a generator in a SELECT list into LATERAL VIEW: each row with each row that it generates.

Source: Spark's documentation, "LATERAL VIEW clause". WHERE applies before a generator in the SELECT
list and after LATERAL VIEW. WHERE can't name a generated column, so the rows are the same.
"""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.expressions import aggregates_in, function_name
from dbt.adapters.ivm_spark.algebra.functions import GENERATORS

_PREFIX = "__ivm_generated"


def lift_generators(query: exp.Query) -> exp.Query:
    """Return the query, not yet qualified, with LATERAL VIEW for each generator in a SELECT list.

    Some generators stay: one without names for its outputs, two in one list, and one beside `*`,
    GROUP BY or an aggregate.
    """
    query = query.copy()
    for number, select in enumerate(list(query.find_all(exp.Select))):
        found = [item for item in select.expressions if _is_generator(item)]
        grouped = select.args.get("group") or any(map(aggregates_in, select.expressions))
        every = any(isinstance(item, exp.Star) for item in select.expressions)
        if len(found) == 1 and not grouped and not every:
            _lift(select, found[0], f"{_PREFIX}_{number}")
    return query


def _is_generator(item: exp.Expr) -> bool:
    named = isinstance(item, (exp.Alias, exp.Aliases))
    return named and function_name(item.this) in GENERATORS


def _lift(select: exp.Select, item: exp.Expr, alias: str) -> None:
    labels = item.expressions if isinstance(item, exp.Aliases) else [item.args["alias"]]
    columns = [exp.to_identifier(f"{alias}_{place}") for place, _ in enumerate(labels)]
    lateral = exp.Lateral(
        this=item.this,
        view=True,
        alias=exp.TableAlias(this=exp.to_identifier(alias), columns=columns),
    )
    select.set("laterals", [*(select.args.get("laterals") or ()), lateral])
    items: list[exp.Expr] = []
    for other in select.expressions:
        if other is not item:
            items.append(other)
            continue
        for column, label in zip(columns, labels, strict=True):
            value = exp.Column(this=column.copy(), table=exp.to_identifier(alias))
            items.append(exp.Alias(this=value, alias=label.copy()))
    select.set("expressions", items)
