"""How the state stores each aggregate call of a view.

A sum or a count takes deltas by addition. Inserts can only improve an extremum. Any other value is
recomputed for the groups that changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column
from dbt.adapters.ivm_spark.algebra.expressions import function_name
from dbt.adapters.ivm_spark.algebra.tree import Item
from dbt.adapters.ivm_spark.algebra.types import (
    MIN_ADJUSTED_SCALE,
    cast_as,
    check_comparable,
    decimal_of,
    division_scale,
    is_collated,
    is_integral,
    is_small,
    is_tight,
    sum_type,
)

COUNT = "__ivm_count"
ARGUMENT = "__ivm_argument_"

_ALL = ("bool_and", "every")
_SOME = ("bool_or", "any", "some")
_TYPED = ("sum", "avg", "mean", "min", "max", "bit_xor", *_ALL, *_SOME)
_SPARE_DIGITS = 9
_COUNT_TYPE = (20, 0)


class Kind(str, Enum):
    """How an accumulator takes a delta."""

    COUNT = "count"
    SUM = "sum"
    MIN = "min"
    MAX = "max"
    XOR = "xor"
    RECOMPUTED = "recomputed"


@dataclass(frozen=True)
class Accumulator:
    """A column of the state.

    Attributes:
        name: of the column.
        kind: how it takes a delta.
        argument: an expression over the aggregate's input; for RECOMPUTED it is the whole call.
        type_name: the column's Spark type.
        counter: of a SUM or XOR: the name of the accumulator that counts its non-null rows. The SUM
            or XOR is NULL exactly if this count is 0.
        wide: a sum of bigints, whose change may need more than a bigint.
        tight: a sum of decimals that may need more than 38 digits.
    """

    name: str
    kind: Kind
    argument: exp.Expr
    type_name: str
    counter: str = ""
    wide: bool = False
    tight: bool = False


class Accumulators:
    """The distinct accumulators of one view: equal ones are stored once."""

    def __init__(self, types: dict[str, str]) -> None:
        self._types = types
        self._all: list[Accumulator] = []

    @property
    def all(self) -> tuple[Accumulator, ...]:
        """Return all accumulators, in the order in which they were added."""
        return tuple(self._all)

    def keep(self, item: Item) -> exp.Expr:
        """Add what an aggregate call needs, and return its value over the state's columns."""
        call, condition = _split(item.expression)
        function, arguments = function_name(call), _arguments(call)
        result = self._types[item.name]
        if function == "count" and arguments:
            return self._count(item.name, _counted(arguments), condition)
        if function == "regr_count" and len(arguments) == 2:
            return self._count(item.name, _counted(arguments), condition)
        if len(arguments) == 1:
            guarded = _guard(arguments[0], condition)
            given = self._types.get(ARGUMENT + item.name, "")
            if function == "count_if":
                hit = exp.Case(ifs=[exp.If(this=arguments[0].copy(), true=exp.Literal.number(1))])
                return self._count(item.name, hit, condition)
            if function in ("min", "max") and not is_collated(result):
                return column(self._add(item.name, Kind(function), guarded, result))
            if function == "sum" and _sums_exactly(given):
                return column(self._sum(item.name, guarded, result, given))
            if function in (*_ALL, *_SOME) and given == "boolean":
                return self._verdict(item.name, guarded, function in _ALL)
            if function == "bit_xor" and is_integral(given):
                counter = self._add(f"__ivm_nonnull_{item.name}", Kind.COUNT, guarded, "bigint")
                return column(self._add(item.name, Kind.XOR, guarded, result, counter))
            if function in ("avg", "mean") and _averages_exactly(given):
                return self._average(item.name, guarded, result, given)
        check_comparable(item.name, result)
        return column(self._add(item.name, Kind.RECOMPUTED, item.expression, result))

    def _count(self, name: str, counted: exp.Expr | None, condition: exp.Expr | None) -> exp.Expr:
        if counted is None and condition is None:
            return column(COUNT)
        argument = _guard(counted or exp.Literal.number(1), condition)
        return column(self._add(name, Kind.COUNT, argument, "bigint"))

    def _sum(self, name: str, argument: exp.Expr, result: str, given: str) -> str:
        counter = self._add(f"__ivm_nonnull_{name}", Kind.COUNT, argument, "bigint")
        wide, tight = given == "bigint", is_tight(given)
        return self._add(name, Kind.SUM, argument, result, counter, wide, tight)

    def _verdict(self, name: str, argument: exp.Expr, every: bool) -> exp.Expr:
        """Return bool_and or bool_or from two counts: rows that are not NULL, and rows that decide.

        A false decides bool_and, a true decides bool_or.
        """
        deciding: exp.Expr = exp.paren(argument.copy())
        deciding = exp.Not(this=deciding) if every else deciding
        hit = exp.Case(ifs=[exp.If(this=deciding, true=exp.Literal.number(1))])
        present = column(self._add(f"__ivm_nonnull_{name}", Kind.COUNT, argument, "bigint"))
        decided = column(self._add(f"__ivm_deciding_{name}", Kind.COUNT, hit, "bigint"))
        compare = exp.EQ if every else exp.NEQ
        zero = exp.Literal.number(0)
        verdict = exp.If(
            this=exp.NEQ(this=present, expression=zero),
            true=compare(this=decided, expression=zero.copy()),
        )
        return exp.Case(ifs=[verdict])

    def _average(self, name: str, argument: exp.Expr, result: str, given: str) -> exp.Expr:
        """Return avg as sum / count, as Spark's own `Average` computes it.

        Integers are divided in DOUBLE, decimals in decimal division.
        """
        exact = decimal_of(given)
        counter = self._add(f"__ivm_nonnull_{name}", Kind.COUNT, argument, "bigint")
        total = column(self._add(f"__ivm_sum_{name}", Kind.SUM, argument, sum_type(given), counter))
        count = column(counter)
        if exact is None:
            return exp.Div(this=exp.cast(total, "double"), expression=count, typed=False)
        divisor = exp.cast(count, "decimal(20,0)")
        return cast_as(exp.Div(this=total, expression=divisor), result)

    def _add(
        self,
        name: str,
        kind: Kind,
        argument: exp.Expr,
        type_name: str,
        counter: str = "",
        wide: bool = False,
        tight: bool = False,
    ) -> str:
        for known in self._all:
            same = known.argument == argument and known.type_name == type_name
            if known.kind is kind and same:
                return known.name
        self._all.append(Accumulator(name, kind, argument.copy(), type_name, counter, wide, tight))
        return name


def typed_argument(item: Item) -> exp.Expr | None:
    """Return the argument whose type decides how a call is stored, None if none does."""
    call, condition = _split(item.expression)
    arguments = _arguments(call)
    if len(arguments) != 1 or function_name(call) not in _TYPED:
        return None
    return _guard(arguments[0], condition)


def not_null(expression: exp.Expr) -> exp.Expr:
    """Return the condition that an expression is not NULL."""
    whole = expression.copy()
    if isinstance(whole, (exp.Binary, exp.Unary, exp.Predicate)):
        whole = exp.paren(whole)
    return exp.Not(this=exp.Is(this=whole, expression=exp.null()))


def _split(expression: exp.Expr) -> tuple[exp.Expr, exp.Expr | None]:
    if isinstance(expression, exp.Filter):
        where = expression.expression
        return expression.this, where.this if isinstance(where, exp.Where) else where
    return expression, None


def _arguments(call: exp.Expr) -> list[exp.Expr]:
    """Return the arguments of a plain call, none for one with DISTINCT or clauses of its own."""
    if not isinstance(call, exp.Anonymous):
        return []
    arguments: list[exp.Expr] = call.expressions
    return [] if any(isinstance(a, exp.Distinct) for a in arguments) else arguments


def _counted(arguments: list[exp.Expr]) -> exp.Expr | None:
    """Return what count() looks at, None if it counts every row."""
    parts = [p for p in arguments if not isinstance(p, exp.Literal)]
    if len(parts) < 2:
        return parts[0] if parts else None
    present = exp.and_(*(not_null(p) for p in parts))
    return exp.Case(ifs=[exp.If(this=present, true=exp.Literal.number(1))])


def _guard(argument: exp.Expr, condition: exp.Expr | None) -> exp.Expr:
    if condition is None:
        return argument.copy()
    return exp.Case(ifs=[exp.If(this=condition.copy(), true=argument.copy())])


def _sums_exactly(given: str) -> bool:
    """Return whether sums of this type are exact, as those of integers and decimals are.

    Two sums of 38 digits are added at their own scale only if it is at most Spark's minimum:
    `DecimalPrecision` cuts a longer scale.
    """
    exact = decimal_of(given)
    return is_integral(given) or (
        exact is not None and (not is_tight(given) or exact[1] <= MIN_ADJUSTED_SCALE)
    )


def _averages_exactly(given: str) -> bool:
    """Return whether sum / count gives Spark's average of this type exactly.

    Spark's DOUBLE holds sums of small integers exactly, those of bigints it does not. For decimals,
    the quotient must have many digits below the result's scale: then rounding it twice cannot
    differ from rounding it once, for groups under 10**9 rows.
    """
    exact = decimal_of(given)
    if exact is None or is_tight(given):
        return is_small(given)
    scale = division_scale((exact[0] + 10, exact[1]), _COUNT_TYPE)
    return scale - (exact[1] + 4) >= _SPARE_DIGITS


_RAISE = "ivm: the state does not fit its sources (a negative count); run with --full-refresh"


def checked(count: exp.Expr) -> exp.Expr:
    """Return a count that raises if it is negative: a wrong state must not be hidden."""
    negative = exp.LT(this=count.copy(), expression=exp.Literal.number(0))
    error = exp.Anonymous(this="raise_error", expressions=[exp.Literal.string(_RAISE)])
    return exp.Case(ifs=[exp.If(this=negative, true=exp.cast(error, "bigint"))], default=count)


def or_zero(expression: exp.Expr) -> exp.Expr:
    """Return the value, or 0 if it is NULL."""
    return exp.Coalesce(this=expression, expressions=[exp.Literal.number(0)])


def null_without(counter: exp.Expr, value: exp.Expr) -> exp.Expr:
    """Return NULL if no non-null value is left, otherwise the value."""
    some = exp.NEQ(this=counter, expression=exp.Literal.number(0))
    return exp.Case(ifs=[exp.If(this=some, true=value)])
