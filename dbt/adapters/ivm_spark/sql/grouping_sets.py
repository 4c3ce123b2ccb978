"""Reads the sets of keys of a GROUP BY with ROLLUP, CUBE and GROUPING SETS.

Source: Spark's `GroupingAnalytics`, `BaseGroupingSets` (grouping.scala). The sets of the elements
of a GROUP BY are multiplied. Keys are in the order in which they are first named.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode, not_supported

Set = tuple[exp.Expr, ...]

MAX_SETS = 256
"""The most sets of one GROUP BY that are maintained; each changed row counts once in every set."""

_ANALYTICS = (exp.Rollup, exp.Cube, exp.GroupingSets)


def has_sets(group: exp.Group) -> bool:
    """Return whether a GROUP BY groups by more than one list of keys."""
    written = any(group.args.get(clause) for clause in ("rollup", "cube", "grouping_sets"))
    return written or any(isinstance(e, _ANALYTICS) for e in group.expressions)


def read_sets(
    group: exp.Group, read: Callable[[exp.Expr], exp.Expr]
) -> tuple[list[exp.Expr], list[Set]]:
    """Return the keys in order, and the sets of keys, equal sets as often as they are written.

    read: turns a key as written into an expression over the tree's columns. Raises NotMaintained
    for more than MAX_SETS sets and for combinations that Spark does not have.
    """
    keys, sets = _read(group, read)
    if len(sets) > MAX_SETS:
        raise not_supported(f"more than {MAX_SETS} grouping sets")
    if any(key not in keys for one in sets for key in one):
        raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, "a grouping set of other keys")
    return list(dict.fromkeys(keys)), sets


def _read(
    group: exp.Group, read: Callable[[exp.Expr], exp.Expr]
) -> tuple[list[exp.Expr], list[Set]]:
    after = [e for c in ("rollup", "cube", "grouping_sets") for e in group.args.get(c) or ()]
    elements = [_sets(e, read) for e in group.expressions]
    if not after:
        return [key for sets in elements for one in sets for key in one], _product(elements)
    plain = all(not isinstance(e, _ANALYTICS) for e in group.expressions)
    if len(after) > 1 or not plain or not elements:
        raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, "this combination of grouping sets")
    keys = [key for sets in elements for one in sets for key in one]
    if isinstance(after[0], exp.GroupingSets):
        return keys, _sets(after[0], read)
    if after[0].expressions:
        raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, "this combination of grouping sets")
    parts = [one for sets in elements for one in sets]
    return keys, _prefixes(parts) if isinstance(after[0], exp.Rollup) else _subsets(parts)


def _sets(element: exp.Expr, read: Callable[[exp.Expr], exp.Expr]) -> list[Set]:
    """Return the sets that one element of a GROUP BY, or of GROUPING SETS, stands for."""
    if isinstance(element, exp.GroupingSets):
        return [one for inner in element.expressions for one in _sets(inner, read)]
    if isinstance(element, (exp.Rollup, exp.Cube)):
        parts = [_keys(e, read) for e in element.expressions]
        return _prefixes(parts) if isinstance(element, exp.Rollup) else _subsets(parts)
    return [_keys(element, read)]


def _keys(element: exp.Expr, read: Callable[[exp.Expr], exp.Expr]) -> Set:
    bare = element.unnest()
    keys = tuple(read(e) for e in (bare.expressions if isinstance(bare, exp.Tuple) else [bare]))
    for key in keys:
        if key.find(exp.Column) is None:
            raise not_supported("grouping sets of a constant")
    return keys


def _prefixes(parts: list[Set]) -> list[Set]:
    return [_flat(parts[:length]) for length in range(len(parts), -1, -1)]


def _subsets(parts: list[Set]) -> list[Set]:
    if not parts:
        return [()]
    if len(parts) > MAX_SETS.bit_length():
        raise not_supported(f"more than {MAX_SETS} grouping sets")
    rest = _subsets(parts[1:])
    return [(*parts[0], *one) for one in rest] + rest


def _product(elements: list[list[Set]]) -> list[Set]:
    product: list[Set] = [()]
    for sets in elements:
        product = [(*one, *other) for one in product for other in sets]
        if len(product) > MAX_SETS:
            break
    return product


def _flat(parts: list[Set]) -> Set:
    return tuple(key for part in parts for key in part)
