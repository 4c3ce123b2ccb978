"""Every kind of node is known in every place that must know it."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra import tree
from dbt.adapters.ivm_spark.algebra.traversal import children, with_children
from dbt.adapters.ivm_spark.algebra.tree import (
    NODES,
    Broadcast,
    Empty,
    GroupingSets,
    Item,
    Lateral,
    Mark,
    Materialize,
    Node,
    Pivot,
    RuntimeFilter,
    ScalarSubquery,
    Scan,
    Unpivot,
)
from dbt.adapters.ivm_spark.delta.rules import REFUSED, RULE_OF, RULES

AS_WRITTEN = {ScalarSubquery, Mark, Lateral, GroupingSets, Pivot, Unpivot}
"""Nodes that `sql/rewrite` turns into others."""
PHYSICAL = {Broadcast, Materialize, RuntimeFilter}
"""Nodes that `physical` adds to a delta."""
WITHOUT_ROWS = {Empty}
"""Nodes that rules make of what did not change."""


def test_the_alias_and_the_tuple_name_the_same_kinds() -> None:
    named = set(re.findall(r"\w+", tree.Node))
    assert named == {kind.__name__ for kind in NODES}
    assert len(NODES) == len(set(NODES))


def test_every_node_of_the_module_is_in_the_tuple() -> None:
    nodes = {
        value
        for name, value in vars(tree).items()
        if is_dataclass(value) and hasattr(value, "columns") and not name.startswith("_")
    }
    assert nodes == set(NODES)


def test_every_kind_has_a_rule_or_a_reason_why_it_has_none() -> None:
    without = AS_WRITTEN | PHYSICAL | WITHOUT_ROWS | set(REFUSED)
    assert set(RULE_OF) | without == set(NODES)
    assert not set(RULE_OF) & without
    assert len(RULES) == len(RULE_OF)


def _scan(name: str) -> Scan:
    return Scan(f"`s`.`{name}`", name, ((name, name),))


def _instance(kind: type[Any]) -> Node:
    """A node over scans, its other fields anything of their types."""
    given: dict[str, Any] = {}
    for number, place in enumerate(fields(kind)):
        kinds = {
            "Node": lambda n=number: _scan(f"c{n}"),
            "tuple[Node, ...]": lambda n=number: (_scan(f"c{n}a"), _scan(f"c{n}b")),
            "tuple[Item, ...]": lambda n=number: (Item(f"i{n}", exp.Literal.number(n)),),
            "bool": lambda: False,
            "str": lambda n=number: f"s{n}",
        }
        given[place.name] = kinds.get(str(place.type), tuple)()
    made: Node = kind(**given)
    return made


@pytest.mark.parametrize("kind", NODES, ids=lambda kind: kind.__name__)
def test_a_node_is_traversed_over_all_its_inputs(kind: type[Any]) -> None:
    node = _instance(kind)
    inputs = children(node)
    held = [f.name for f in fields(kind) if "Node" in str(f.type)]
    assert bool(inputs) == bool(held)
    assert with_children(node, inputs) is node
    others = tuple(_scan(f"other{n}") for n in range(len(inputs)))
    changed = with_children(node, others)
    assert children(changed) == others
    assert type(changed) is kind
    same = [f.name for f in fields(kind) if f.name not in held]
    assert [getattr(changed, n) for n in same] == [getattr(node, n) for n in same]
