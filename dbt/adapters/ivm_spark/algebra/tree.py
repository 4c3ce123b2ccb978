"""The view tree: a query as relational operators over columns whose names are unique in the tree.

Every operator outputs a tuple of column names; a name means the same column wherever it appears,
so expressions need no qualifier and operators can be moved without capture. Expressions are
sqlglot trees whose columns are those names. A relation is a bag; inside a delta it carries the
column `WEIGHT` (bigint, +1 a row more, -1 a row less; DESIGN section 3).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

from sqlglot import exp

WEIGHT = "__ivm_weight"


class At(str, Enum):
    """What a scan reads: a source's rows at the new version, what changed in it since the recorded
    one, or a relation that this refresh has materialized."""

    POST = "post"
    CHANGES = "changes"
    TEMPORARY = "temporary"


@dataclass(frozen=True)
class Item:
    """An output column: its name in the tree, and the expression over the input's columns."""

    name: str
    expression: exp.Expr


@dataclass(frozen=True)
class Scan:
    """A source's columns: pairs (name in the tree, column of the source)."""

    relation: str
    alias: str
    fields: tuple[tuple[str, str], ...]
    at: At = At.POST

    @property
    def columns(self) -> tuple[str, ...]:
        names = tuple(name for name, _ in self.fields)
        return (*names, WEIGHT) if self.at is At.CHANGES else names


@dataclass(frozen=True)
class Values:
    """Rows that the query's text gives; they never change. Without columns it is the one row that
    a SELECT without FROM works on."""

    names: tuple[str, ...]
    rows: tuple[tuple[exp.Expr, ...], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.names


@dataclass(frozen=True)
class _Rows:
    """An operator with its input's columns."""

    input: Node

    @property
    def columns(self) -> tuple[str, ...]:
        return self.input.columns


@dataclass(frozen=True)
class Empty(_Rows):
    """No rows, of the input's columns and types. Nothing of the input is read."""


@dataclass(frozen=True)
class Filter(_Rows):
    """The rows for which the predicate is true."""

    predicate: exp.Expr


@dataclass(frozen=True)
class Project:
    """One row of expressions for each row."""

    input: Node
    items: tuple[Item, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(item.name for item in self.items)


@dataclass(frozen=True)
class Join:
    """The inner join of any number of inputs: their product, filtered by every predicate."""

    inputs: tuple[Node, ...]
    predicates: tuple[exp.Expr, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        names = [c for node in self.inputs for c in node.columns if c != WEIGHT]
        weighted = any(WEIGHT in node.columns for node in self.inputs)
        return (*names, WEIGHT) if weighted else tuple(names)


@dataclass(frozen=True)
class OuterJoin:
    """A LEFT, RIGHT or FULL join: the inner join, and the rows without a partner with NULLs."""

    left: Node
    right: Node
    side: str
    predicates: tuple[exp.Expr, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.left.columns + self.right.columns


@dataclass(frozen=True)
class SemiJoin(_Rows):
    """The rows of the input that have a partner in `among`; with `anti`, those that have none."""

    among: Node
    predicates: tuple[exp.Expr, ...]
    anti: bool = False


@dataclass(frozen=True)
class ScalarSubquery:
    """Each row with the one value that a subquery has for it, NULL where it has no row.

    Only in the tree as written. A correlated subquery uses columns of the input, see
    `free_columns`.
    """

    input: Node
    query: Node
    name: str

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.input.columns, self.name)


@dataclass(frozen=True)
class Mark:
    """Each row with a boolean column: EXISTS over a subquery or, with operands, IN or NOT IN.

    Only in the tree as written. IN and NOT IN mark the rows for which they are true; they stand
    where SQL takes NULL for false. A correlated subquery uses columns of the input.
    """

    input: Node
    query: Node
    name: str
    operands: tuple[exp.Expr, ...] = ()
    negated: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.input.columns, self.name)


@dataclass(frozen=True)
class Lateral:
    """Each row with each row that a subquery has for it, where every predicate is true.

    Only in the tree as written. A correlated subquery uses columns of the input. With `left` a
    row without any stays, with NULLs. `name` is unique among the names of the tree.
    """

    input: Node
    query: Node
    name: str
    predicates: tuple[exp.Expr, ...] = ()
    left: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return self.input.columns + self.query.columns


@dataclass(frozen=True)
class Generate:
    """LATERAL VIEW: each row with each row that the generator makes of it."""

    input: Node
    generator: exp.Expr
    outputs: tuple[str, ...]
    outer: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        names = tuple(c for c in self.input.columns if c != WEIGHT) + self.outputs
        return (*names, WEIGHT) if WEIGHT in self.input.columns else names


@dataclass(frozen=True)
class Aggregate:
    """One row a group: keys are expressions over the input, aggregates are single calls.

    Without keys and with `whole` there is exactly one row, also over an empty input.
    """

    input: Node
    keys: tuple[Item, ...]
    aggregates: tuple[Item, ...]

    @property
    def whole(self) -> bool:
        return not self.keys

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(item.name for item in (*self.keys, *self.aggregates))


@dataclass(frozen=True)
class GroupingSets:
    """GROUP BY over several sets of the keys: the groups of every set, with NULL for the keys that
    the set does not have. Aggregates see the keys' own values; `grouping` and `grouping_id` are
    among the aggregates. Each set names its keys; an input without rows has no group."""

    input: Node
    keys: tuple[Item, ...]
    sets: tuple[tuple[str, ...], ...]
    aggregates: tuple[Item, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(item.name for item in (*self.keys, *self.aggregates))


@dataclass(frozen=True)
class Pivot:
    """PIVOT: a group for each combination of the keys, and in it each aggregate over the rows with
    each of the values.

    by: what is compared with the values, their types, and the values, literals; outputs: names,
    for each value one for each aggregate. missing_is_null: count() of no rows is NULL.
    """

    input: Node
    keys: tuple[str, ...]
    by: tuple[exp.Expr, ...]
    types: tuple[str, ...]
    values: tuple[tuple[exp.Expr, ...], ...]
    aggregates: tuple[exp.Expr, ...]
    outputs: tuple[str, ...]
    missing_is_null: bool

    @property
    def columns(self) -> tuple[str, ...]:
        return self.keys + self.outputs


@dataclass(frozen=True)
class Unpivot:
    """UNPIVOT: each row once for each of the parts, a part's name beside its columns' values.

    Without `nulls` a row whose values are all NULL is left out.
    """

    input: Node
    kept: tuple[str, ...]
    name: str
    values: tuple[str, ...]
    parts: tuple[tuple[str, tuple[str, ...]], ...]
    nulls: bool

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.kept, self.name, *self.values)


@dataclass(frozen=True)
class Distinct(_Rows):
    """Each different row once."""


@dataclass(frozen=True)
class Window:
    """Each row with window functions over the rows of its partition.

    Every item is a whole `exp.Window` over the input's columns; all have the same PARTITION BY.
    """

    input: Node
    items: tuple[Item, ...]

    @property
    def keys(self) -> tuple[exp.Expr, ...]:
        return tuple(self.items[0].expression.args["partition_by"])

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.input.columns, *(item.name for item in self.items))


@dataclass(frozen=True)
class UnionAll:
    """All rows of all inputs; columns by position, named as the first input names them.

    widens: the inputs' types may differ, so that an input without rows must stay: it has its say
    in the types of the columns.
    """

    inputs: tuple[Node, ...]
    widens: bool = True

    @property
    def columns(self) -> tuple[str, ...]:
        return self.inputs[0].columns


@dataclass(frozen=True)
class SetOp:
    """INTERSECT or EXCEPT of two inputs, with ALL by copies; columns by position, named as the
    left input names them."""

    left: Node
    right: Node
    kind: str
    all: bool

    @property
    def columns(self) -> tuple[str, ...]:
        return self.left.columns


@dataclass(frozen=True)
class Broadcast(_Rows):
    """The same rows, known to be few enough for a copy at every worker."""


@dataclass(frozen=True)
class Materialize(_Rows):
    """The same rows, to be computed before the statement that uses them, so that their number is
    known when something big is to meet them."""


@dataclass(frozen=True)
class RuntimeFilter(_Rows):
    """The same rows, of which only those matter whose `column` is a `key` of `among`.

    Where the keys' ranges are known, the others are left out before they are read (`narrowed`).
    type_name: of both columns, in Spark's words; null_safe: NULL meets NULL.
    """

    among: Node
    column: str
    key: str
    type_name: str
    null_safe: bool


@dataclass(frozen=True)
class Sort(_Rows):
    """The rows in order; each ordering is an `exp.Ordered` over the input's columns."""

    orderings: tuple[exp.Expr, ...]


@dataclass(frozen=True)
class Limit(_Rows):
    """The first rows, after `offset` rows. Either may be missing."""

    limit: exp.Expr | None
    offset: exp.Expr | None = None


Node: TypeAlias = (
    "Scan | Values | Empty | Filter | Project | Join | OuterJoin | SemiJoin | SetOp | Generate"
    " | Aggregate | GroupingSets | Pivot | Unpivot | Distinct | Window | UnionAll | Broadcast"
    " | Materialize | RuntimeFilter | Sort | Limit | ScalarSubquery | Mark | Lateral"
)

NODES: tuple[type[Any], ...] = (
    *(Scan, Values, Empty, Filter, Project, Join, OuterJoin, SemiJoin, SetOp, Generate),
    *(Aggregate, GroupingSets, Pivot, Unpivot, Distinct, Window, UnionAll, Broadcast),
    *(Materialize, RuntimeFilter, Sort, Limit, ScalarSubquery, Mark, Lateral),
)
"""All kinds of nodes. Every table of kinds is tested against it, see
`tests/unit/algebra/test_nodes.py`."""
