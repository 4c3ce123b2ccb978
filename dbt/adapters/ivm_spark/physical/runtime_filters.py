"""Read only the parts of a big partner that can have the change's keys: runtime filters.

The keys of a refresh often lie close together in a few places: the newest orders, one day's
corrections. A query asks for these places once the small side is materialized. Its answer becomes
literals in the SQL, by which Delta skips files and Parquet skips row groups.

    Δ ⋈ orders   →   Δ ⋈ filter(orders, key BETWEEN 1 AND 9 OR key BETWEEN 700 AND 720)

The widest gaps between neighbouring keys separate the ranges. Some hundred keys that lie apart are
named one by one. In a Parquet file that is sorted by the keys, Spark then reads only the pages that
can have one of them.

Applies to a partner and a small side of a join if

1. the small side is about as small as the change (`is_delta_sized`), and the partner is not;
2. the join does not output the partner's rows without a match: it is inner or semi, or it is outer
   or anti and preserves the small side;
3. they are joined by columns that are sources' own, of one type on both sides, which has an order;
4. the table of the partner's column has at least `BIG_ROWS` rows;
5. when the SQL is written, the small side reads only materialized relations, and has no runtime
   filter of its own (`question_of`).

The rows of the join stay the same. A partner stays whole until the answer is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain
from types import MappingProxyType

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column
from dbt.adapters.ivm_spark.algebra.predicates import equal_columns
from dbt.adapters.ivm_spark.algebra.traversal import bottom_up, children, nodes, with_children
from dbt.adapters.ivm_spark.algebra.tree import (
    Empty,
    Filter,
    Join,
    Node,
    OuterJoin,
    RuntimeFilter,
    SemiJoin,
)
from dbt.adapters.ivm_spark.algebra.types import ORDERED
from dbt.adapters.ivm_spark.analysis.cardinality import is_delta_sized
from dbt.adapters.ivm_spark.analysis.provenance import Provenance, provenance
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts
from dbt.adapters.ivm_spark.physical.common_subplans import reads_sources
from dbt.adapters.ivm_spark.physical.file_pruning import (
    PrunedScan,
    Views,
    reading,
    scans_of,
)
from dbt.adapters.ivm_spark.physical.key_ranges import Answers, Question, in_ranges


def questions(node: Node) -> list[Question]:
    """Return the questions of a tree over materialized relations, in the tree's order."""
    asked = (question_of(n) for n in nodes(node) if isinstance(n, RuntimeFilter))
    return list(dict.fromkeys(q for q in asked if q is not None))


def open_questions(
    asks: Sequence[Sequence[Question]], number: int, materialized: Set[str], known: Answers
) -> list[Question]:
    """Return what to ask before statement `number`.

    If none of this statement's own questions is open and can be asked now, it returns nothing.
    Otherwise it adds the questions of later statements that can be asked now, so that one query
    answers all.

    Args:
        asks: the questions of each statement.
        number: of the statement that is next.
        materialized: the names of the relations that are materialized by now.
        known: the answers so far.
    """
    every = [list(dict.fromkeys(q for q in asked if q not in known)) for asked in asks]
    if not any(q.needs <= materialized for q in every[number]):
        return []
    return list(dict.fromkeys(q for asked in every for q in asked if q.needs <= materialized))


def pruned_scans(node: Node, answers: Answers) -> list[PrunedScan]:
    """Return the scans of a tree whose files the answers prune, in the tree's order."""
    met = (n for n in nodes(node) if isinstance(n, RuntimeFilter))
    asked = ((near, question_of(near)) for near in met)
    found = (scans_of(n.input, n.column, q) for n, q in asked if q is not None and q in answers)
    return list(dict.fromkeys(chain.from_iterable(found)))


def narrowed(node: Node, answers: Answers, views: Views = MappingProxyType({})) -> Node:
    """Return a tree with each `RuntimeFilter` replaced by a filter.

    A `RuntimeFilter` without an answer is dropped.

    Args:
        node: the tree.
        answers: to the questions so far.
        views: of the files to read in place of scans.
    """
    done: dict[int, Node] = {}

    def visit(at: Node) -> Node:
        if id(at) not in done:
            below = tuple(visit(child) for child in children(at))
            done[id(at)] = _narrowed(at, below, answers, views)
        return done[id(at)]

    return visit(node)


def _narrowed(node: Node, below: tuple[Node, ...], answers: Answers, views: Views) -> Node:
    """Return a node over narrowed inputs. A question knows the node's own inputs."""
    if not isinstance(node, RuntimeFilter):
        return with_children(node, below)
    question = question_of(node)
    answer = answers.get(question) if question is not None else None
    if answer is None:
        return below[0]
    assert question is not None
    found = in_ranges(
        column(node.column), question, replace(answer, nulls=answer.nulls and node.null_safe)
    )
    if found is None:
        return Empty(below[0])
    return Filter(reading(below[0], node.column, question, views), found)


def narrowing(
    met: Sequence[RuntimeFilter], answers: Answers, stored: Callable[[str], exp.Expr]
) -> list[exp.Expr]:
    """Return conditions, in literals, that hold for all rows that can match the change.

    It returns none unless all questions are answered.

    Args:
        met: the runtime filters of the rows.
        answers: to the questions so far.
        stored: returns a column of these rows by its name.
    """
    asked = [(near.column, question_of(near)) for near in met]
    if not all(question in answers for _, question in asked):
        return []
    found = (in_ranges(stored(name), q, answers[q]) for name, q in asked if q is not None)
    return [exp.paren(condition) for condition in found if condition is not None]


def question_of(node: RuntimeFilter) -> Question | None:
    """Return the question whose answer narrows a relation, None if it is not worth asking.

    If the small side is not materialized, asking would compute it once more.
    """
    if reads_sources(node.among):
        return None
    if any(isinstance(n, RuntimeFilter) for n in nodes(node.among)):
        return None
    return Question(node.among, node.key, node.type_name)


BIG_ROWS = 5_000_000
"""If a table has at least so many rows, asking for the key ranges costs less than they may save."""


def with_runtime_filters(root: Node, sources: Mapping[str, SourceFacts]) -> Node:
    """Return the same tree with big inputs that join a small change marked as `RuntimeFilter`.

    Args:
        root: a delta.
        sources: facts by quoted name. A source that is not among them is not narrowed.
    """
    known: dict[tuple[int, str], tuple[Node, Provenance | None]] = {}

    def find(node: Node, column: str) -> Provenance | None:
        key = id(node), column
        if key not in known:
            known[key] = node, provenance(node, column, sources)  # keeps the node, and so its id
        return known[key][1]

    return bottom_up(root, lambda node: _mark(node, find))


_Find = Callable[[Node, str], "Provenance | None"]


def _mark(node: Node, find: _Find) -> Node:
    if isinstance(node, Join):
        inputs = list(node.inputs)
        for n, partner in enumerate(node.inputs):
            for small in node.inputs:
                if small is not partner and inputs[n] is partner:
                    inputs[n] = _narrow(partner, small, node.predicates, find)
        return replace(node, inputs=tuple(inputs))
    if isinstance(node, SemiJoin):
        if is_delta_sized(node.among):
            if node.anti:
                return node
            return replace(node, input=_narrow(node.input, node.among, node.predicates, find))
        return replace(node, among=_narrow(node.among, node.input, node.predicates, find))
    if isinstance(node, OuterJoin) and node.side == "LEFT":
        return replace(node, right=_narrow(node.right, node.left, node.predicates, find))
    if isinstance(node, OuterJoin) and node.side == "RIGHT":
        return replace(node, left=_narrow(node.left, node.right, node.predicates, find))
    return node


def _narrow(partner: Node, small: Node, predicates: tuple[exp.Expr, ...], find: _Find) -> Node:
    """Return the partner, narrowed to the keys of a small relation if an equality names them."""
    if is_delta_sized(partner) or not is_delta_sized(small):
        return partner
    for mine, other, null_safe in equal_columns(predicates, partner, small):
        own, key = find(partner, mine), find(small, other)
        if own is None or key is None or own.rows < BIG_ROWS:
            continue
        if own.type_name == key.type_name and key.type_name in ORDERED:
            return RuntimeFilter(partner, small, mine, other, key.type_name, null_safe)
    return partner
