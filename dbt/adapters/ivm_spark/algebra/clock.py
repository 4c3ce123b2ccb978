"""Texts that Spark reads relative to the current time when it casts them to a date or a timestamp.

`d > 'yesterday'` contains such a cast implicitly; `status = 'today'` contains none. Only Spark can
say whether it casts a text (`dbt.adapters.ivm_spark.plan.clock`). Source: Spark's
`SpecialDatetimeValues`, which looks at every cast of a constant string.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import expressions_of
from dbt.adapters.ivm_spark.algebra.traversal import walk
from dbt.adapters.ivm_spark.algebra.tree import Node

_SPECIAL = re.compile(r"(now|today|tomorrow|yesterday)(?![a-z])", re.IGNORECASE)
_BLANK = "".join(map(chr, range(33)))
"""The characters that Java's trim() removes."""


def is_clock_text(text: str) -> bool:
    """Return whether a cast to a date or timestamp reads a text relative to the current time."""
    return _SPECIAL.match(text.strip(_BLANK)) is not None


def clock_texts(expressions: Iterator[exp.Expr]) -> frozenset[str]:
    """Return the string literals in expressions for which `is_clock_text` holds."""
    literals = (e for expression in expressions for e in expression.find_all(exp.Literal))
    return frozenset(e.name for e in literals if e.is_string and is_clock_text(e.name))


def computed_texts(expressions: Iterator[exp.Expr]) -> list[exp.Expr]:
    """Return the constant expressions that contain a string literal and may compute such a text."""
    found: list[exp.Expr] = []
    for expression in expressions:
        for part in expression.walk():
            if _is_computed_text(part) and part not in found:
                found.append(part)
    return found


def tree_expressions(root: Node) -> Iterator[exp.Expr]:
    """Yield every expression of every operator of a tree."""
    for node in walk(root):
        yield from expressions_of(node)


def _is_computed_text(part: exp.Expr) -> bool:
    computes = isinstance(part, (exp.Func, exp.Binary)) and not isinstance(part, exp.Predicate)
    if not computes or part.find(exp.Column, exp.Query, exp.Lambda, exp.Star) is not None:
        return False
    if isinstance(part, exp.Cast) and isinstance(part.this, exp.Literal):
        return False
    if isinstance(part, exp.If) and isinstance(part.parent, exp.Case):
        return False  # a branch of the CASE, not an expression by itself
    return any(e.is_string for e in part.find_all(exp.Literal))
