"""The grouped change of a state: one row a key, with the change of each accumulator."""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, passed
from dbt.adapters.ivm_spark.algebra.tree import WEIGHT, Aggregate, Filter, Item, Node, Project
from dbt.adapters.ivm_spark.algebra.types import cast_as
from dbt.adapters.ivm_spark.state.accumulators import COUNT, Accumulator, Kind, not_null, or_zero
from dbt.adapters.ivm_spark.state.fill import state_column
from dbt.adapters.ivm_spark.state.layout import WHOLE, Layout

LOST = "__ivm_lost_"
OVERFLOW = "ivm: a sum has more than 38 digits"


def grouped_change(layout: Layout, delta: Node, insert_only: bool) -> Node:
    """Return the change of the state, grouped by its key.

    Its columns are the key, the change of each accumulator, and `__ivm_count`, the net number of
    inserted rows. For an extremum, the change is the best inserted value. Unless insert_only, the
    best deleted value is there too, under `LOST` + name.

    Args:
        layout: of the state.
        delta: of `layout.input`.
        insert_only: the delta has no deleted rows.
    """
    items: list[Item] = []
    for accumulator in layout.accumulators:
        if accumulator.kind in (Kind.MIN, Kind.MAX):
            items.append(Item(accumulator.name, _best(accumulator, "GT", insert_only)))
            if not insert_only:
                items.append(Item(LOST + accumulator.name, _best(accumulator, "LT", False)))
        elif accumulator.kind is not Kind.RECOMPUTED:
            items.append(Item(accumulator.name, _net(accumulator)))
    items.append(Item(COUNT, or_zero(exp.Sum(this=column(WEIGHT)))))
    grouped: Node = Aggregate(delta, layout.keys, tuple(items))
    if layout.scattered:
        return Filter(grouped, exp.NEQ(this=column(COUNT), expression=exp.Literal.number(0)))
    if layout.whole:
        return Project(grouped, (state_column(WHOLE), *passed(grouped.columns)))
    return grouped


def _net(accumulator: Accumulator) -> exp.Expr:
    argument = accumulator.argument.copy()
    if accumulator.kind is Kind.COUNT:
        present = not_null(argument)
        return or_zero(exp.Sum(this=_when(present, column(WEIGHT), exp.Literal.number(0))))
    if accumulator.kind is Kind.XOR:  # a row that is inserted and deleted cancels itself
        return exp.Anonymous(this="bit_xor", expressions=[argument])
    if accumulator.wide:
        argument = exp.cast(argument, "decimal(20,0)")
    elif accumulator.type_name == "bigint":
        argument = exp.cast(argument, "bigint")
    gained = exp.GT(this=column(WEIGHT), expression=exp.Literal.number(0))
    minus: exp.Expr = exp.Neg(this=exp.paren(argument.copy()))
    if accumulator.tight:
        # Spark's unary minus rounds a decimal to 34 digits. Its subtraction does not.
        minus = exp.Sub(this=exp.Literal.number(0), expression=exp.paren(argument.copy()))
    total = exp.Sum(this=_when(gained, argument, minus))
    if not accumulator.tight:
        return total
    some = exp.GT(this=exp.Count(this=argument.copy()), expression=exp.Literal.number(0))
    lost = exp.and_(some, exp.Is(this=total.copy(), expression=exp.null()))
    return exp.Case(ifs=[exp.If(this=lost, true=overflow(accumulator))], default=total)


def overflow(accumulator: Accumulator) -> exp.Expr:
    """Return an expression that ends the statement, because a sum is NULL although it has values.

    Spark gives NULL for a sum of more than 38 digits. No sum can go on from NULL, so the view is
    rebuilt.
    """
    error = exp.Anonymous(this="raise_error", expressions=[exp.Literal.string(OVERFLOW)])
    return cast_as(error, accumulator.type_name)


def _best(accumulator: Accumulator, side: str, insert_only: bool) -> exp.Expr:
    argument = accumulator.argument.copy()
    if not insert_only:
        compare = exp.GT if side == "GT" else exp.LT
        sign = compare(this=column(WEIGHT), expression=exp.Literal.number(0))
        argument = exp.Case(ifs=[exp.If(this=sign, true=argument)])
    return exp.Min(this=argument) if accumulator.kind is Kind.MIN else exp.Max(this=argument)


def _when(condition: exp.Expr, then: exp.Expr, otherwise: exp.Expr) -> exp.Expr:
    return exp.Case(ifs=[exp.If(this=condition, true=then)], default=otherwise)
