"""A normalized plan as a tree: operators, with their conditions apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace


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
