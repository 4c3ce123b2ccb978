"""The types of a tree's columns, with few and small questions to Spark.

A column that an operator passes on keeps its type. A type that an operator computes depends on
nothing but the types of its inputs, so Spark is asked about the operator alone, over one row of
NULLs of these types:

    select a + b as c from values (cast(null as int), cast(null as bigint)) as v (a, b)

The text of the whole tree would be as long as the model, once for each of its operators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from sqlglot import exp
from sqlglot.errors import SqlglotError

from dbt.adapters.ivm_spark.algebra.columns import expressions_of, used_columns
from dbt.adapters.ivm_spark.algebra.dialect import IvmSpark, to_sql
from dbt.adapters.ivm_spark.algebra.traversal import children, with_children
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
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
    SemiJoin,
    SetOp,
    Sort,
    TimeWindow,
    UnionAll,
    Values,
    Window,
)

Types = Mapping[str, str]
Ask = Callable[[Node], Types]
_CERTAIN = frozenset(
    exp.DType[name]
    for name in "BIGINT INT SMALLINT TINYINT FLOAT DOUBLE DECIMAL BOOLEAN TEXT BINARY DATE "
    "TIMESTAMPTZ TIMESTAMP TIMESTAMPLTZ TIMESTAMPNTZ ARRAY MAP STRUCT".split()
)
"""Types whose NULL has exactly the type that Spark shows. Not VOID, CHAR, intervals, collations."""


class DerivedTypes:
    """Derives types and asks Spark for the rest; once for each node.

    Args:
        ask: returns Spark's types of a tree's columns.
    """

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._known: dict[int, tuple[Node, Types]] = {}

    def of(self, node: Node) -> Types:
        """Return the types of a tree's columns, by name."""
        known = self._known.get(id(node))
        if known is None:
            # The node is kept, so that no other one gets its id.
            known = self._known[id(node)] = (node, self._derived(node))
        return known[1]

    def _derived(self, node: Node) -> Types:
        match node:
            case Filter() | Sort() | Limit() | Distinct() | Broadcast() | Empty() | SemiJoin():
                return self._only(node.columns, self.of(node.input))
            case Join() | OuterJoin():
                both = {n: kind for child in children(node) for n, kind in self.of(child).items()}
                return self._only(node.columns, both)
            case Project():
                return self._projected(node)
            case Window():
                below = self.of(node.input)
                computed = self._over_nulls(node, (i.name for i in node.items))
                return {**below, **computed}
            case UnionAll() | SetOp():
                return self._by_place(node)
            case Aggregate() | GroupingSets() | Generate() | TimeWindow():
                return self._over_nulls(node, node.columns)
            case _:
                return self._ask(node)

    @staticmethod
    def _only(columns: Iterable[str], types: Types) -> Types:
        return {name: types[name] for name in columns}

    def _projected(self, node: Project) -> Types:
        below = self.of(node.input)
        passed = {
            item.name: below[item.expression.name]
            for item in node.items
            if isinstance(item.expression, exp.Column) and item.expression.name in below
        }
        left = tuple(item for item in node.items if item.name not in passed)
        computed = self._over_nulls(Project(node.input, left), (i.name for i in left))
        return self._only(node.columns, {**passed, **computed})

    def _by_place(self, node: UnionAll | SetOp) -> Types:
        """Return the types of a union, whose columns match by position."""
        kinds = [list(self.of(child).values()) for child in children(node)]
        if all(other == kinds[0] for other in kinds):
            return dict(zip(node.columns, kinds[0], strict=True))
        return self._over_nulls(node, node.columns)

    def _over_nulls(self, node: Node, wanted: Iterable[str]) -> Types:
        """Return the types of columns that a node computes, its inputs replaced by NULLs."""
        names = tuple(wanted)
        if not names:
            return {}
        inputs = []
        used = used_columns(*expressions_of(node))
        for child in children(node):
            types = self.of(child)
            if isinstance(node, (Project, Window, Aggregate)):
                if not used <= types.keys():  # columns of an outer block
                    return self._ask(node)
                types = {n: kind for n, kind in types.items() if n in used} or types
            stand_in = nulls(types)
            if stand_in is None:
                return self._ask(node)
            inputs.append(stand_in)
        return self._only(names, self._ask(with_children(node, tuple(inputs))))


def nulls(types: Types) -> Values | None:
    """Return one row of NULLs of these types.

    None if a NULL of one of them may not have exactly that type.
    """
    row = []
    for kind in types.values():
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
        row.append(exp.Cast(this=exp.Null(), to=parsed))
    return Values(tuple(types), (tuple(row),)) if row else None


def _bare(kind: str) -> str:
    return kind.replace(" ", "").lower()
