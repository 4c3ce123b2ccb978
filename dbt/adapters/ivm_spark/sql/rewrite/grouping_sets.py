"""Rewrites GROUPING SETS as one GROUP BY: each row counts once for every set, as in Spark's Expand.

Each row is paired with the number of every set. The set's number becomes one of the keys, and a key
that the set does not have is NULL. So the aggregates are maintained like those of any GROUP BY.

Source: Gray et al., "Data cube" (ICDE 1996), section 3; Spark's `ResolveGroupingAnalytics`.
"""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column
from dbt.adapters.ivm_spark.algebra.expressions import function_name
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode, not_supported
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    Generate,
    GroupingSets,
    Item,
    Node,
    Project,
)

MAX_KEYS = 20
"""The most keys whose bits, and the numbers of equal sets above them, fit into an INT."""


def rewrite_grouping_sets(node: GroupingSets) -> Node:
    """Return the groups of all sets, from one Aggregate.

    A set's number is its grouping_id(): a key that the set does not have sets its bit to 1, and the
    last key has the lowest bit. Equal sets differ in the bits above. Raises NotMaintained for more
    than MAX_KEYS keys.
    """
    if len(node.keys) > MAX_KEYS:
        raise not_supported(f"more than {MAX_KEYS} grouping keys")
    number = f"__ivm_set_of_{node.keys[0].name if node.keys else 'all'}"
    numbered = _numbered(node)
    numbers = exp.Array(expressions=[exp.Literal.number(n) for n in numbered])
    rows = Generate(node.input, exp.Explode(this=numbers), (number,))
    calls = tuple(i for i in node.aggregates if function_name(i.expression) in _CALLS)
    plain = tuple(i for i in node.aggregates if i not in calls)
    keys = (*(_key(key, numbered, number) for key in node.keys), Item(number, column(number)))
    told = {i.name: _told(i.expression, node, numbered, number) for i in calls}
    items = tuple(Item(c, told.get(c) or column(c)) for c in node.columns)
    return Project(Aggregate(rows, keys, plain), items)


_CALLS = ("grouping", "grouping_id")


def _numbered(node: GroupingSets) -> dict[int, tuple[str, ...]]:
    """Return the sets by their numbers, in order."""
    numbered: dict[int, tuple[str, ...]] = {}
    for names in node.sets:
        number = sum((k.name not in names) << n for n, k in enumerate(reversed(node.keys)))
        while number in numbered:
            number += 1 << len(node.keys)
        numbered[number] = names
    return numbered


def _among(number: str, numbers: list[int]) -> exp.Expr:
    return exp.In(this=column(number), expressions=[exp.Literal.number(n) for n in numbers])


def _key(key: Item, numbered: dict[int, tuple[str, ...]], number: str) -> Item:
    """Return the key, NULL in the groups of a set that does not have it."""
    having = [n for n, names in numbered.items() if key.name in names]
    if len(having) == len(numbered):
        return key
    condition: exp.Expr = _among(number, having) if having else exp.false()
    return Item(key.name, exp.Case(ifs=[exp.If(this=condition, true=key.expression.copy())]))


def _told(
    call: exp.Expr, node: GroupingSets, numbered: dict[int, tuple[str, ...]], number: str
) -> exp.Expr:
    """Return the value of grouping(key) or grouping_id(keys) in the groups of each set."""
    given = call.expressions
    expressions = [key.expression for key in node.keys]
    if function_name(call) == "grouping":
        if len(given) != 1 or given[0] not in expressions:
            raise NotMaintained(
                ReasonCode.QUERY_NOT_UNDERSTOOD, "grouping() of an expression that is not a key"
            )
        name = node.keys[expressions.index(given[0])].name
        without = [n for n, names in numbered.items() if name not in names]
        bit: exp.Expr = exp.Literal.number(0)
        if without:
            one = exp.If(this=_among(number, without), true=exp.Literal.number(1))
            bit = exp.Case(ifs=[one], default=bit)
        return exp.cast(bit, "tinyint")
    if given and given != expressions:
        raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, "grouping_id() of other keys")
    copies = exp.Literal.number(1 << len(node.keys))
    bits = exp.Mod(this=column(number), expression=copies)
    return exp.cast(bits if max(numbered) >= 1 << len(node.keys) else column(number), "bigint")
