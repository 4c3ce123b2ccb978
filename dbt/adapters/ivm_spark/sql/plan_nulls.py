"""Removes conditions from a normalized plan that others imply: `isnotnull(x)`, and `a OR b` by a.

Spark infers `isnotnull` from comparisons and pushes it down as far as it goes. Which expressions it
infers it for depends on how a query is written, not on what it means: it finds `isnotnull(d)` for a
column `d` of a subquery, and not for the same expression in the join condition itself.

A row for which `isnotnull(x)` is false is rejected anyway, if an operator above demands a condition
that is NULL whenever x is NULL. That holds for the row only where it reaches that operator as a row
of its own: through filters, joins, unions and generators, and with whole groups or partitions where
x is a key of theirs.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from dbt.adapters.ivm_spark.algebra.functions import AGGREGATES
from dbt.adapters.ivm_spark.sql.plan_text import binary, disjuncts, split_list
from dbt.adapters.ivm_spark.sql.plan_tree import Operator, filtered

_COMPARISONS = (" = ", " < ", " > ", " <= ", " >= ")
_ARITHMETIC = (" + ", " - ", " * ", " / ", " % ", " div ")
_CAST = re.compile(r"cast\((.*) as [a-z][\w(), <>:]*\)")
_CALL = re.compile(r"(\w+)\((.*)\)")
_NULL_OF_NULL = frozenset(
    "abs ceil concat date_add date_sub date_trunc datediff dayofmonth floor hour length lower "
    "minute month quarter round second substring trim trunc upper weekofyear year".split()
)
"""Functions that are NULL if any of their arguments is."""
_COLUMN = re.compile(r"@\d+")
_NAMES = re.compile(r"(\w+)\(")
_ZONE = re.compile(r"some\([\w/+:-]*\)")
"""A time zone that an expression is evaluated in."""

Nulls = frozenset[str]
"""Expressions; a row in which one of them is NULL is not wanted."""


def without_implied(operator: Operator, unwanted: Nulls = frozenset()) -> Operator:
    """Return a plan without the conditions that others imply.

    Args:
        operator: the plan.
        unwanted: the expressions whose NULLs the operators above reject.

    Source:
        InferFiltersFromConstraints of Spark's optimizer, read backwards.
    """
    own = frozenset(e for c in operator.conditions for e in _rejected(c))
    below = _below(operator, unwanted, own)
    if operator.head == "Filter":
        implied = own | unwanted
    else:
        implied = own if operator.kind == "Join" else frozenset()
    inputs = tuple(
        without_implied(child, nulls) for child, nulls in zip(operator.inputs, below, strict=True)
    )
    kept = [c for c in operator.conditions if not _is_implied(c, implied)]
    conditions = tuple(c for c in kept if not _is_weaker(c, kept))
    if operator.head == "Filter":
        return filtered(inputs[0], conditions)
    return replace(operator, conditions=conditions, inputs=inputs)


def _below(operator: Operator, unwanted: Nulls, own: Nulls) -> tuple[Nulls, ...]:
    """Return for each input the expressions whose NULLs the operators above it reject."""
    match operator.head.split(" "):
        case ["Filter"]:
            return (unwanted | own,)
        case ["Join", "Inner"]:
            return unwanted | own, unwanted | own
        case ["Join", "LeftSemi"]:
            return unwanted | own, own
        case ["Join", "LeftOuter" | "LeftAnti" | "ExistenceJoin"]:
            return unwanted, own
        case ["Join", "RightOuter"]:
            return own, unwanted
        case ["Generate", *_]:
            return (unwanted,)
        case ["Aggregate" | "Window" | "WindowGroupLimit", *_]:
            return (frozenset(e for e in unwanted if _is_of(e, operator.keys)),)
        case ["Union", *_]:
            places = [n for n, name in enumerate(operator.columns) if name in unwanted]
            return tuple(frozenset(branch[n] for n in places) for branch in operator.branches)
        case _:
            return tuple(frozenset() for _ in operator.inputs)


def _is_of(expression: str, keys: Collection[str]) -> bool:
    """Return whether an expression has one value in all rows that agree in the keys.

    A column that is an aggregate or a window is one only if it is a key itself.
    """
    if expression in keys:
        return True
    calls = _NAMES.findall(_ZONE.sub("", expression))
    if " in Window " in expression or not AGGREGATES.isdisjoint(calls):
        return False
    return set(_COLUMN.findall(expression)) <= set(keys)


def _is_implied(condition: str, unwanted: Nulls) -> bool:
    return condition.startswith("isnotnull(") and condition[len("isnotnull(") : -1] in unwanted


def _is_weaker(condition: str, others: Collection[str]) -> bool:
    """Return whether a condition is an OR of one of the others and something else."""
    return not set(disjuncts(condition)).isdisjoint(c for c in others if c != condition)


def _rejected(condition: str) -> set[str]:
    """Return the expressions for which a condition is not true if one of them is NULL."""
    condition = condition.removeprefix("NOT ")
    if _COLUMN.fullmatch(condition):
        return {condition}
    sides = binary(condition, _COMPARISONS)
    return set() if sides is None else _null_makers(sides)


def _null_makers(expressions: list[str]) -> set[str]:
    """Return the expressions, and those below them whose NULL makes one of them NULL."""
    found: set[str] = set()
    waiting = list(expressions)
    while waiting:
        expression = waiting.pop()
        if expression in found:
            continue
        found.add(expression)
        cast, call = _CAST.fullmatch(expression), _CALL.fullmatch(expression)
        if cast is not None:
            waiting.append(cast.group(1))
        elif call is not None and call.group(1) in _NULL_OF_NULL:
            waiting.extend(split_list(call.group(2)))
        else:
            waiting.extend(binary(expression, _ARITHMETIC) or ())
    return found
