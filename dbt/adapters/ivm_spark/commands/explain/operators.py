"""The operators of a view, with the way each one's delta is computed. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dbt.adapters.ivm_spark.algebra.predicates import equal_pairs
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, Reason
from dbt.adapters.ivm_spark.algebra.traversal import children, not_too_deep
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Item,
    Join,
    Limit,
    Node,
    OuterJoin,
    Project,
    Scan,
    SemiJoin,
    SetOp,
    Sort,
    TimeWindow,
    UnionAll,
    Values,
    Window,
)
from dbt.adapters.ivm_spark.commands.explain.readable import (
    Names,
    is_renaming,
    item_text,
    name_text,
    names_of,
    text_of,
)
from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.rules import RULE_OF, Moves, delta
from dbt.adapters.ivm_spark.plan.plan import Technique, technique_of
from dbt.adapters.ivm_spark.sql.scans import relations_read
from dbt.adapters.ivm_spark.state.accumulators import Kind
from dbt.adapters.ivm_spark.state.layout import Layout, core_of

READ = "when_read"


@dataclass(frozen=True)
class Operator:
    """An operator of a view.

    Attributes:
        operator: its name.
        says: what it does, as SQL for people to read.
        technique: the technique that computes its delta.
        how: how the technique works, in words.
        stored: the state has its rows.
        reason: why it has no rule, if it is the operator at fault.
        inputs: the operators below it.
    """

    operator: str
    says: str
    technique: str
    how: str
    stored: bool = False
    reason: Reason | None = None
    inputs: tuple[Operator, ...] = ()


def operators(root: Node, layout: Layout | None, above: int | None = None) -> Operator:
    """Return the operators of a view's tree, without Projects that only rename.

    layout: of the state, None if the view is not maintained. The operator without a rule then says
    why.
    above: see `core_of`.
    """
    return _Describer(root, layout, above).operator(root, above=True)


class _Describer:
    def __init__(self, root: Node, layout: Layout | None, above: int | None) -> None:
        self._names = names_of(root)
        self._layout = layout
        self._core = core_of(root, above)
        self._sources = relations_read(root)

    def operator(self, node: Node, above: bool) -> Operator:
        """Return the operator of a node.

        above: the node is above the stored node, or is the stored node.
        """
        stored = node is self._core
        if is_renaming(node) and not stored:
            return self.operator(children(node)[0], above)
        reason = None if self._layout is not None else self._fault(node, above)
        if self._layout is None:
            technique, how = Technique.FULL.value, str(reason.detail) if reason else ""
        elif stored:
            technique, how = self._of_core(node, self._layout)
        elif above:
            technique, how = READ, "applied when the view is read"
        else:
            technique, how = _how(node)
        return Operator(
            operator=_name(node),
            says=_says(node, self._names),
            technique=technique,
            how=how,
            stored=stored and self._layout is not None,
            reason=reason,
            inputs=tuple(self.operator(c, above and not stored) for c in children(node)),
        )

    def _of_core(self, node: Node, layout: Layout) -> tuple[str, str]:
        if isinstance(node, Distinct):
            return technique_of(layout).value, "each distinct row once, with its number of copies"
        if not isinstance(node, Aggregate):
            return _how(node)
        again = [a.name for a in layout.accumulators if a.kind is Kind.RECOMPUTED]
        best = [a.name for a in layout.accumulators if a.kind in (Kind.MIN, Kind.MAX)]
        how = "adds the change to each group"
        if again:
            how = f"recomputes changed groups, for {', '.join(again)}"
        elif best:
            how += f"; recomputes groups that lose their {' or '.join(best)}"
        return technique_of(layout).value, how

    def _fault(self, node: Node, above: bool) -> Reason | None:
        """Return why this operator has no rule, although the operators below it have one.

        Operators above the core need no rule. Neither does the core if it is a GROUP BY or
        DISTINCT.
        """
        if above and (node is not self._core or isinstance(node, (Aggregate, Distinct))):
            return None
        context = Context(self._sources)
        if any(_refusal(below, context) for below in children(node)):
            return None
        return _refusal(node, context)


def _refusal(node: Node, context: Context) -> Reason | None:
    try:
        with not_too_deep():
            delta(node, context)
    except NotMaintained as error:
        return error.reason
    return None


def _how(node: Node) -> tuple[str, str]:
    full = isinstance(node, OuterJoin) and node.side == "FULL"
    if isinstance(node, OuterJoin) and full and equal_pairs(node.predicates, node.left, node.right):
        again = "joins the changed keys again, before and after the change"
        return Moves.GROUPS.value, again
    rule = RULE_OF[type(node)]
    return rule.moves.value, rule.how


def _name(node: Node) -> str:
    if isinstance(node, OuterJoin):
        return f"{node.side.capitalize()} join"
    if isinstance(node, SemiJoin):
        return "Anti join" if node.anti else "Semi join"
    if isinstance(node, SetOp):
        return node.kind.capitalize() + (" all" if node.all else "")
    return "Union all" if isinstance(node, UnionAll) else type(node).__name__


def _says(node: Node, names: Names) -> str:
    """Return what an operator does, in SQL's words."""

    def listed(items: tuple[Item, ...]) -> str:
        return ", ".join(item_text(item, names) for item in items)

    def all_of(expressions: tuple[Any, ...]) -> str:
        return " and ".join(text_of(e, names) for e in expressions)

    if isinstance(node, Scan):
        relation = name_text(node.relation)
        alias = "" if relation.split(".")[-1] == node.alias else f" {node.alias}"
        return f"{relation}{alias} ({', '.join(column for _, column in node.fields)})"
    if isinstance(node, Filter):
        return text_of(node.predicate, names)
    if isinstance(node, Aggregate):
        keys = ", ".join(text_of(key.expression, names) for key in node.keys) or "nothing"
        return f"by {keys}: {listed(node.aggregates)}" if node.aggregates else f"by {keys}"
    if isinstance(node, (Project, Window)):
        return listed(node.items)
    if isinstance(node, (Join, OuterJoin, SemiJoin)):
        return all_of(node.predicates) or "every pair of rows"
    if isinstance(node, Generate):
        return f"{text_of(node.generator, names)} as {', '.join(node.outputs)}"
    if isinstance(node, TimeWindow):
        return f"{text_of(node.call, names)} as {node.name}"
    if isinstance(node, Sort):
        return ", ".join(text_of(ordering, names) for ordering in node.orderings)
    if isinstance(node, Limit):
        parts = {"": node.limit, "offset ": node.offset}
        return " ".join(word + text_of(e, names) for word, e in parts.items() if e is not None)
    if isinstance(node, Values):
        return f"{len(node.rows)} row{'s' if len(node.rows) != 1 else ''}"
    return ""
