"""The types of a tree's columns, with few and small questions to Spark.

A column that an operator passes on keeps its type. A type that an operator computes depends on
nothing but the types of its inputs, so Spark is asked about the operator alone, over one row of
NULLs of these types:

    select a + b as c from values (cast(null as int), cast(null as bigint)) as v (a, b)

The text of the whole tree would be as long as the model, once for each of its operators. The
operators whose inputs are known are asked about together, so there are as many questions as
operators that compute something lie above one another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

from sqlglot import exp
from sqlglot.errors import SqlglotError

from dbt.adapters.ivm_spark.algebra.catalog import Relation
from dbt.adapters.ivm_spark.algebra.columns import expressions_of, used_columns
from dbt.adapters.ivm_spark.algebra.dialect import IvmSpark, to_sql
from dbt.adapters.ivm_spark.algebra.traversal import children, with_children
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    At,
    Broadcast,
    Distinct,
    Empty,
    Filter,
    Generate,
    GroupingSets,
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

Types = Mapping[str, str]
Ask = Callable[[Sequence[Node]], Sequence[Types]]
_CERTAIN = frozenset(
    exp.DType[name]
    for name in "BIGINT INT SMALLINT TINYINT FLOAT DOUBLE DECIMAL BOOLEAN TEXT BINARY DATE "
    "TIMESTAMPTZ TIMESTAMP TIMESTAMPLTZ TIMESTAMPNTZ ARRAY MAP STRUCT".split()
)
"""Types whose NULL has exactly the type that Spark shows. Not VOID, CHAR, intervals, collations."""


class DerivedTypes:
    """Derives types and asks Spark for the rest; once for each node.

    Args:
        ask: returns Spark's types of some trees' columns, in their order.
        sources: the sources whose columns are known, by quoted name.
    """

    def __init__(self, ask: Ask, sources: Mapping[str, Relation] | None = None) -> None:
        self._ask = ask
        self._sources = sources or {}
        self._known: dict[int, tuple[Node, Types]] = {}
        """By the node's id. The node is kept, so that no other one gets its id."""
        self._questions: dict[int, tuple[Node, Node]] = {}
        """What Spark is asked next: by a node's id, the node and the tree to ask about."""
        self._waiting: set[int] = set()
        """The nodes whose types need answers that are not there yet."""
        self._answers: dict[int, tuple[Node, Types]] = {}

    def of(self, node: Node) -> Types:
        """Return the types of a tree's columns, by name."""
        while (types := self._of(node)) is None:
            asked = list(self._questions.values())
            answers = self._ask([tree for _, tree in asked])
            for (about, _), answer in zip(asked, answers, strict=True):
                self._answers[id(about)] = (about, answer)
            self._questions.clear()
            self._waiting.clear()
        return types

    def _of(self, node: Node) -> Types | None:
        """Return the types of a tree's columns, None if they need another answer."""
        if id(node) in self._waiting:
            return None
        known = self._known.get(id(node))
        if known is not None:
            return known[1]
        types = self._derived(node)
        if types is None:
            self._waiting.add(id(node))
        else:
            self._known[id(node)] = (node, types)
        return types

    def _derived(self, node: Node) -> Types | None:
        match node:
            case Scan():
                return self._scanned(node)
            case Filter() | Sort() | Limit() | Distinct() | Broadcast() | Empty() | SemiJoin():
                below = self._of(node.input)
                return None if below is None else self._only(node.columns, below)
            case Join() | OuterJoin():
                sides = self._below(node)
                if sides is None:
                    return None
                return self._only(node.columns, {n: k for side in sides for n, k in side.items()})
            case Project():
                return self._projected(node)
            case Window():
                below = self._of(node.input)
                computed = self._over_nulls(node, node, (i.name for i in node.items))
                return None if below is None or computed is None else {**below, **computed}
            case UnionAll() | SetOp():
                return self._by_place(node)
            case Aggregate() | GroupingSets() | Generate() | TimeWindow():
                return self._over_nulls(node, node, node.columns)
            case _:
                return self._answer(node, node)

    def _below(self, node: Node) -> list[Types] | None:
        """Return the types of a node's inputs, None if one of them needs another answer.

        All are looked at, so that they are asked about together.
        """
        found = [self._of(child) for child in children(node)]
        known = [types for types in found if types is not None]
        return known if len(known) == len(found) else None

    def _answer(self, node: Node, tree: Node) -> Types | None:
        """Return Spark's answer about a tree in a node's place, None if it is yet to be asked."""
        answer = self._answers.get(id(node))
        if answer is not None:
            return answer[1]
        self._questions[id(node)] = (node, tree)
        return None

    @staticmethod
    def _only(columns: Iterable[str], types: Types) -> Types:
        return {name: types[name] for name in columns}

    def _scanned(self, node: Scan) -> Types | None:
        """Return the types of a source's columns, which a CHAR does not keep when it is read."""
        source = self._sources.get(node.relation)
        kinds = {} if source is None else dict(source.columns)
        types = {name: kinds.get(column, "") for name, column in node.fields}
        if node.at is At.CHANGES or not all(map(_null, types.values())):
            return self._answer(node, node)
        return types

    def _projected(self, node: Project) -> Types | None:
        below = self._of(node.input)
        if below is None:
            return None
        passed = {
            item.name: below[item.expression.name]
            for item in node.items
            if isinstance(item.expression, exp.Column) and item.expression.name in below
        }
        left = tuple(item for item in node.items if item.name not in passed)
        computed = self._over_nulls(node, Project(node.input, left), (i.name for i in left))
        return None if computed is None else self._only(node.columns, {**passed, **computed})

    def _by_place(self, node: UnionAll | SetOp) -> Types | None:
        """Return the types of a union, whose columns match by position."""
        sides = self._below(node)
        if sides is None:
            return None
        kinds = [list(side.values()) for side in sides]
        if all(other == kinds[0] for other in kinds):
            return dict(zip(node.columns, kinds[0], strict=True))
        return self._over_nulls(node, node, node.columns)

    def _over_nulls(self, node: Node, computing: Node, wanted: Iterable[str]) -> Types | None:
        """Return the types of columns that a node computes, its inputs replaced by NULLs.

        `computing` is the node, or the part of it that computes something.
        """
        names = tuple(wanted)
        if not names:
            return {}
        sides = self._below(computing)
        if sides is None:
            return None
        answer = self._answer(node, self._with_nulls(computing, sides))
        return None if answer is None else self._only(names, answer)

    @staticmethod
    def _with_nulls(node: Node, sides: Sequence[Types]) -> Node:
        """Return a node over NULLs of its inputs' types, the node itself if that is not certain."""
        inputs = []
        used = used_columns(*expressions_of(node))
        for types in sides:
            if isinstance(node, (Project, Window, Aggregate)):
                if not used <= types.keys():  # columns of an outer block
                    return node
                types = {n: kind for n, kind in types.items() if n in used} or types
            stand_in = nulls(types)
            if stand_in is None:
                return node
            inputs.append(stand_in)
        return with_children(node, tuple(inputs))


def nulls(types: Types) -> Values | None:
    """Return one row of NULLs of these types.

    None if a NULL of one of them may not have exactly that type.
    """
    row = [_null(kind) for kind in types.values()]
    known = tuple(null for null in row if null is not None)
    return Values(tuple(types), (known,)) if row and len(known) == len(row) else None


@cache
def _null(kind: str) -> exp.Cast | None:
    """Return a NULL of a type, None if it may not have exactly that type."""
    try:
        parsed = exp.DataType.build(kind, dialect=IvmSpark)
    except SqlglotError:
        return None
    # sqlglot leaves out what it does not know, such as a collation.
    same = _bare(to_sql(parsed)) == _bare(kind)
    if (
        not same
        or "collate" in kind.lower()
        or any(part.this not in _CERTAIN for part in parsed.find_all(exp.DataType))
    ):
        return None
    return exp.Cast(this=exp.Null(), to=parsed)


def _bare(kind: str) -> str:
    return kind.replace(" ", "").lower()
