"""A plan as a tree: as Spark prints it, and normalized, with the conditions of operators apart."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

_BRANCH = re.compile(r"^(?:[: ]  )*[:+]- ")
PLACING = ("Repartition ", "RepartitionByExpression ", "RebalancePartitions ")
"""How the texts of operators begin that only say where rows are computed."""
_INPUTS = {
    ("Relation ",): 0,
    ("Project ", "Filter ", "Aggregate ", "Window", "Generate ", "Expand ", *PLACING): 1,
    ("Join ",): 2,
}
"""How many inputs the operators have whose texts begin so."""


class UnreadableError(Exception):
    """Raised for a plan that contains something whose meaning is not known."""


@dataclass
class Printed:
    """An operator of a plan that Spark has printed.

    Attributes:
        text: the operator's line.
        children: its inputs.
        subqueries: the plans that its expressions contain, in their order.
    """

    text: str
    children: list[Printed] = field(default_factory=list)
    subqueries: list[Printed] = field(default_factory=list)


def printed_tree(text: str) -> Printed | None:
    """Return the tree that the indentation shows, None for a plan without a line.

    A literal with a line break continues on the next line.
    """
    stack: list[tuple[int, Printed]] = []
    root: Printed | None = None
    for line in text.splitlines():
        branch = _BRANCH.match(line)
        if root is None:
            root = Printed(line)
            stack = [(0, root)]
            continue
        if branch is None:
            last = stack[-1][1]
            last.text = f"{last.text}\\n{line}"
            continue
        depth = branch.end() // 3
        node = Printed(line[branch.end() :])
        while len(stack) > 1 and stack[-1][0] >= depth:
            stack.pop()
        outside, parent = stack[-1]
        (parent.children if depth == outside + 1 else parent.subqueries).append(node)
        stack.append((depth, node))
    return root


def check_inputs(node: Printed) -> None:
    """Raise UnreadableError if an operator has more or fewer inputs than its kind has.

    A literal with a line break may look like an operator.
    """
    wanted = next((n for kinds, n in _INPUTS.items() if node.text.startswith(kinds)), None)
    if wanted is not None and len(node.children) != wanted:
        raise UnreadableError


@dataclass(frozen=True)
class Operator:
    """An operator of a normalized plan.

    Attributes:
        head: its kind and what it computes, without its conditions.
        conditions: what a Filter or a Join demands of a row, sorted.
        inputs: the operators below it.
        keys: what an Aggregate groups by; what all windows of a Window partition by, or a
            WindowGroupLimit, which keeps the first rows of each partition.
        branches: the columns of each input of a set operation, which go by their place.
        columns: the columns that it makes of them.
    """

    head: str
    conditions: tuple[str, ...] = ()
    inputs: tuple[Operator, ...] = ()
    keys: frozenset[str] = frozenset()
    branches: tuple[tuple[str, ...], ...] = ()
    columns: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """The first word of the head."""
        return self.head.partition(" ")[0]

    def lines(self) -> list[str]:
        """Return the subtree, a line for each operator, its inputs indented."""
        line = f"{self.head} {' AND '.join(self.conditions)}" if self.conditions else self.head
        branches = [f"   branch {', '.join(branch)}" for branch in self.branches]
        below = [f"   {line}" for operator in self.inputs for line in operator.lines()]
        return [line, *branches, *below]


def filtered(operator: Operator, conditions: Iterable[str]) -> Operator:
    """Return an operator's rows for which the conditions are true, by one Filter at most."""
    wanted = set(conditions)
    if not wanted:
        return operator
    if operator.head == "Filter":
        return replace(operator, conditions=tuple(sorted({*operator.conditions, *wanted})))
    return Operator("Filter", tuple(sorted(wanted)), (operator,))
