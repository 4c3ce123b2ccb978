"""Rewrites PIVOT as one GROUP BY with a FILTER for each value, UNPIVOT as one row for each part."""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, passed
from dbt.adapters.ivm_spark.algebra.expressions import function_name
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    Filter,
    Generate,
    Item,
    Node,
    Pivot,
    Project,
    Unpivot,
)
from dbt.adapters.ivm_spark.algebra.types import cast_as
from dbt.adapters.ivm_spark.sql.pivot import COUNTS


def rewrite_pivot(node: Pivot) -> Node:
    """Return the groups of the keys, with each aggregate over the rows of each value.

    A value is cast to the type of the expression that it is compared with, as Spark does.
    """
    aggregates: list[Item] = []
    items = list(passed(node.keys))
    outputs = iter(node.outputs)
    for values in node.values:
        same = exp.and_(
            *(
                exp.NullSafeEQ(this=by.copy(), expression=cast_as(value.copy(), kind))
                for by, value, kind in zip(node.by, values, node.types, strict=True)
            )
        )
        rows = ""
        for call in node.aggregates:
            output = next(outputs)
            aggregates.append(Item(output, _filtered(call, same)))
            value_of: exp.Expr = column(output)
            if function_name(call) in COUNTS and node.missing_is_null:
                if not rows:
                    rows = f"__ivm_rows_of_{output}"
                    count = exp.Anonymous(this="count", expressions=[exp.Literal.number(1)])
                    aggregates.append(Item(rows, _filtered(count, same)))
                some = exp.NEQ(this=column(rows), expression=exp.Literal.number(0))
                value_of = exp.Case(ifs=[exp.If(this=some, true=value_of)])
            items.append(Item(output, value_of))
    keys = passed(node.keys)
    return Project(Aggregate(node.input, keys, tuple(aggregates)), tuple(items))


def rewrite_unpivot(node: Unpivot) -> Node:
    """Return each row with the number of each part, the part's name and its values."""
    number = f"__ivm_part_of_{node.name}"
    places = [exp.Literal.number(n) for n, _ in enumerate(node.parts)]
    parts = exp.Explode(this=exp.Array(expressions=places))
    rows = Generate(node.input, parts, (number,))
    labels = [exp.Literal.string(label) for label, _ in node.parts]
    items = list(passed(node.kept))
    items.append(Item(node.name, _by_number(number, labels)))
    for place, value in enumerate(node.values):
        given = [column(columns[place]) for _, columns in node.parts]
        items.append(Item(value, _by_number(number, given)))
    told = Project(rows, tuple(items))
    if node.nulls:
        return told
    present = [exp.Not(this=exp.Is(this=column(v), expression=exp.null())) for v in node.values]
    return Filter(told, exp.or_(*present))


def _filtered(call: exp.Expr, condition: exp.Expr) -> exp.Expr:
    return exp.Filter(this=call.copy(), expression=exp.Where(this=condition.copy()))


def _by_number(number: str, choices: list[exp.Literal] | list[exp.Column]) -> exp.Expr:
    ifs = [
        exp.If(
            this=exp.EQ(this=column(number), expression=exp.Literal.number(n)), true=choice.copy()
        )
        for n, choice in enumerate(choices)
    ]
    return exp.Case(ifs=ifs)
