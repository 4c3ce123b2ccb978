"""The columns of sources that conditions restrict. By no others are files skipped. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import by_place, used_columns
from dbt.adapters.ivm_spark.algebra.predicates import conjuncts, sides
from dbt.adapters.ivm_spark.algebra.traversal import children, nodes
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    Filter,
    Node,
    Project,
    Scan,
    SetOp,
    UnionAll,
)


def restricted_columns(trees: Iterable[Node]) -> dict[str, frozenset[str]]:
    """Return the columns that conditions restrict, by the quoted name of their source.

    A column is restricted if a condition compares it with anything but other columns, and so are
    the columns that a join sets equal to it. What a restricted value is computed from counts too.
    A source of the trees without such columns has an empty set. The result may have columns that no
    condition restricts, and may lack some that one restricts above an operator like PIVOT.
    """
    every = [node for tree in trees for node in nodes(tree)]
    found, origins = set[str](), dict[str, set[str]]()
    for condition in chain.from_iterable(map(_conditions, every)):
        equal = _compared(condition)
        if equal is None:
            found |= used_columns(condition)
        for name, other in equal or ():
            origins.setdefault(name, set()).add(other)
    for name, made_of in chain.from_iterable(map(_made, every)):
        origins.setdefault(name, set()).add(made_of)
    new = set(found)
    while new:
        new = set[str]().union(*(origins.get(name, ()) for name in new)) - found
        found |= new
    restricted: dict[str, set[str]] = {}
    for scan in (node for node in every if isinstance(node, Scan)):
        own = (theirs for name, theirs in scan.fields if name in found)
        restricted.setdefault(scan.relation, set()).update(own)
    return {relation: frozenset(columns) for relation, columns in restricted.items()}


def _conditions(node: Node) -> Iterator[exp.Expr]:
    """Yield the conjuncts of the conditions of one node."""
    own: Iterable[exp.Expr] = getattr(node, "predicates", ())
    for condition in (node.predicate,) if isinstance(node, Filter) else own:
        yield from conjuncts(condition)


def _compared(condition: exp.Expr) -> tuple[tuple[str, str], ...] | None:
    """Return the two columns that a condition sets equal, in both orders.

    Empty for another comparison of columns, and None if the condition may restrict columns.
    """
    equal = sides(condition)
    if any(isinstance(a, exp.Column) and isinstance(b, exp.Column) for a, b in equal):
        return tuple((a.name, b.name) for a, b in equal)
    bare = condition.unnest()
    if not isinstance(bare, exp.Predicate) or not isinstance(bare, exp.Binary):
        return None
    return () if used_columns(bare.left) and used_columns(bare.right) else None


def _made(node: Node) -> Iterator[tuple[str, str]]:
    """Yield each column by which a filter is pushed below a node, with each that it is made of.

    A column that another one is, under its own name, has that one's values: the reverse holds too.
    """
    if isinstance(node, (Project, Aggregate)):
        for item in node.items if isinstance(node, Project) else node.keys:
            yield from ((item.name, used) for used in used_columns(item.expression))
            if isinstance(item.expression, exp.Column):
                yield item.expression.name, item.name
    elif isinstance(node, (UnionAll, SetOp)):
        for branch in children(node):
            yield from by_place(node.columns, branch)
