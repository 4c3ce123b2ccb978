"""The last check of a tree: each expression uses only columns of its operator's inputs.

An earlier step may have misread the query. Even then, no checked expression changes its meaning
when it runs over a source's change feed, or over fewer of the source's columns.
"""

from __future__ import annotations

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import expressions_of, is_variable
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode
from dbt.adapters.ivm_spark.algebra.traversal import children
from dbt.adapters.ivm_spark.algebra.tree import Lateral, Mark, Node, ScalarSubquery


def check_closed(root: Node) -> None:
    """Raise NotMaintained (QUERY_NOT_UNDERSTOOD) unless every column of an expression is known.

    A known column belongs to the operator's inputs, or is a parameter of a lambda function. A star
    is not known.
    """
    _Check().check(root, frozenset())


class _Check:
    """One check of a tree, in which several nodes may share an input."""

    def __init__(self) -> None:
        self._seen: set[tuple[int, frozenset[str]]] = set()

    def check(self, node: Node, around: frozenset[str]) -> None:
        """Check a node and all nodes below it.

        around: the columns of the outer blocks of a correlated subquery.
        """
        if (id(node), around) in self._seen:
            return
        self._seen.add((id(node), around))
        known = set(around)
        for child in children(node):
            known.update(child.columns)
        if isinstance(node, (ScalarSubquery, Mark, Lateral)):
            self.check(node.input, around)
            self.check(node.query, around.union(node.input.columns))
        else:
            for child in children(node):
                self.check(child, around)
        for expression in expressions_of(node):
            for part in expression.walk():
                _check_part(part, known)


def _check_part(part: exp.Expr, known: set[str]) -> None:
    if isinstance(part, exp.Star):
        raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, "a star inside an expression")
    if not isinstance(part, exp.Column) or is_variable(part):
        return
    if part.table or part.name not in known:
        raise NotMaintained(ReasonCode.QUERY_NOT_UNDERSTOOD, f"the column {to_sql(part)}")
