"""The view tree: a query as relational operators over columns with unique names.

Every operator outputs a tuple of column names. A name means the same column everywhere in the
tree. So expressions need no qualifiers, and operators can move without name capture. Expressions
are sqlglot trees over those names.

A relation is a bag. Inside a delta it has the column `WEIGHT` (bigint): +1 adds a copy of the row,
-1 removes one (DESIGN section 3).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

from sqlglot import exp

WEIGHT = "__ivm_weight"


class At(str, Enum):
    """What a scan reads.

    Attributes:
        POST: the source's rows at the new version.
        CHANGES: the rows of the source that changed since the watermark's version.
        TEMPORARY: a relation that this refresh has materialized.
        EVER: the rows that the source has at one of both versions. A tree has such scans only while
            its delta is derived; see `dbt.adapters.ivm_spark.delta.references`.
    """

    POST = "post"
    CHANGES = "changes"
    TEMPORARY = "temporary"
    EVER = "ever"


@dataclass(frozen=True)
class Item:
    """An output column.

    Attributes:
        name: the column's name in the tree.
        expression: its value, over the input's columns.
    """

    name: str
    expression: exp.Expr


@dataclass(frozen=True)
class Scan:
    """The columns of a source.

    Attributes:
        relation: the quoted name of the source.
        alias: the name of the source in SQL, unique in the tree.
        fields: (name in the tree, column of the source) of each column.
        at: which rows of the source the scan reads.
    """

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
    """Rows that the query's text contains; they never change.

    Without columns it is the single row over which a SELECT without FROM works.

    Attributes:
        names: the columns.
        rows: the rows, each with one expression a column.
    """

    names: tuple[str, ...]
    rows: tuple[tuple[exp.Expr, ...], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.names


@dataclass(frozen=True)
class _Rows:
    """An operator with the columns of its input."""

    input: Node

    @property
    def columns(self) -> tuple[str, ...]:
        return self.input.columns


@dataclass(frozen=True)
class Empty(_Rows):
    """No rows, with the input's columns and types. Nothing reads the input."""


@dataclass(frozen=True)
class Filter(_Rows):
    """The rows for which the predicate is true."""

    predicate: exp.Expr


@dataclass(frozen=True)
class Project:
    """One row of expressions for each input row."""

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
    """A LEFT, RIGHT or FULL join: the inner join, and the rows without a partner, with NULLs.

    Attributes:
        left: the left input.
        right: the right input.
        side: LEFT, RIGHT or FULL.
        predicates: the conjuncts of ON.
    """

    left: Node
    right: Node
    side: str
    predicates: tuple[exp.Expr, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.left.columns + self.right.columns


@dataclass(frozen=True)
class SemiJoin(_Rows):
    """The rows of the input that have a partner in `among`.

    Attributes:
        among: the relation of the partners.
        predicates: the conjuncts that a row and its partner satisfy.
        anti: take the rows that have no partner instead.
    """

    among: Node
    predicates: tuple[exp.Expr, ...]
    anti: bool = False


@dataclass(frozen=True)
class ScalarSubquery:
    """Each row with the one value that a subquery has for it, NULL if the subquery has no row.

    Occurs only in the tree as written.

    Attributes:
        input: the rows of the outer block.
        query: the subquery. If it is correlated, it uses columns of the input, see `free_columns`.
        name: the column of the value.
    """

    input: Node
    query: Node
    name: str

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.input.columns, self.name)


@dataclass(frozen=True)
class Mark:
    """Each row with a boolean column: EXISTS, IN or NOT IN over a subquery.

    Occurs only in the tree as written. IN and NOT IN mark the rows for which they are true; they
    occur only where SQL treats NULL as false.

    Attributes:
        input: the rows of the outer block.
        query: the subquery. If it is correlated, it uses columns of the input.
        name: the boolean column.
        operands: the left side of IN or NOT IN; empty for EXISTS.
        negated: the predicate is NOT IN.
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
    """Each row joined with each row that a subquery has for it, if every predicate is true.

    Occurs only in the tree as written.

    Attributes:
        input: the rows before the subquery.
        query: the subquery. If it is correlated, it uses columns of the input.
        name: a name that is unique in the tree.
        predicates: the conjuncts of ON.
        left: keep an input row without any partner, filled with NULLs.
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
    """LATERAL VIEW: each row joined with each row that the generator makes from it.

    Attributes:
        input: the rows before the generator.
        generator: the call, over the input's columns.
        outputs: the columns of the generated rows.
        outer: LATERAL VIEW OUTER: keep an input row for which the generator makes no row.
    """

    input: Node
    generator: exp.Expr
    outputs: tuple[str, ...]
    outer: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return _widened(self.input, self.outputs)


@dataclass(frozen=True)
class TimeWindow:
    """Each row once for every window of time that it lies in; a row without a time is in none.

    Source: Spark's `window()` and its rule `TimeWindowing`.

    Attributes:
        input: the rows.
        call: the call of `window`, over the input's columns.
        name: the column of the window, a struct of its start and its end.
    """

    input: Node
    call: exp.Expr
    name: str

    @property
    def columns(self) -> tuple[str, ...]:
        return _widened(self.input, (self.name,))


@dataclass(frozen=True)
class Aggregate:
    """One row a group.

    Without keys there is exactly one row, even over an empty input; see `whole`.

    Attributes:
        input: the rows to group.
        keys: expressions over the input.
        aggregates: single aggregate calls.
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
    """GROUP BY over several sets of keys: the groups of every set.

    A key is NULL in the groups of a set that does not have it. Aggregates see the keys' original
    values. An input without rows has no group.

    Attributes:
        input: the rows to group.
        keys: expressions over the input.
        sets: the names of the keys of each set.
        aggregates: single aggregate calls, among them `grouping` and `grouping_id`.
    """

    input: Node
    keys: tuple[Item, ...]
    sets: tuple[tuple[str, ...], ...]
    aggregates: tuple[Item, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(item.name for item in (*self.keys, *self.aggregates))


@dataclass(frozen=True)
class Pivot:
    """PIVOT: one group for each combination of the keys.

    In a group, each aggregate is computed once for each value, over the rows that have the value.

    Attributes:
        input: the rows to group.
        keys: the columns that form the groups.
        by: the expressions that are compared with the values.
        types: Spark's types of `by`.
        values: the values, literals.
        aggregates: single aggregate calls.
        outputs: the columns of the aggregates: for each value, one for each aggregate.
        missing_is_null: count() of no rows is NULL.
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
    """UNPIVOT: each row once for each part, with the part's name beside the values of its columns.

    Attributes:
        input: the rows to unpivot.
        kept: the columns that stay.
        name: the column of the part's name.
        values: the columns of the values.
        parts: (name, columns of the input) of each part.
        nulls: include rows whose values are all NULL.
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

    Attributes:
        input: the rows.
        items: whole `exp.Window`s over the input's columns, all with the same PARTITION BY.
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
    """All rows of all inputs. Columns match by position and take the first input's names.

    Attributes:
        inputs: the branches.
        widens: the inputs' types may differ. Then an input without rows must stay, because it
            contributes to the types of the columns.
    """

    inputs: tuple[Node, ...]
    widens: bool = True

    @property
    def columns(self) -> tuple[str, ...]:
        return self.inputs[0].columns


@dataclass(frozen=True)
class SetOp:
    """INTERSECT or EXCEPT of two inputs. Columns match by position and take the left input's names.

    Attributes:
        left: the left input.
        right: the right input.
        kind: INTERSECT or EXCEPT.
        all: count copies of a row, as with ALL.
    """

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
    """The same rows, computed before the statement that uses them.

    Their number is then known before a large relation joins them.
    """


@dataclass(frozen=True)
class RuntimeFilter(_Rows):
    """The same rows, of which only those with `column` equal to a `key` of `among` matter.

    If the keys' ranges are known, the scan skips the other rows (`narrowed`).

    Attributes:
        among: the relation of the keys.
        column: a column of the input.
        key: a column of `among`.
        type_name: Spark's type of both columns.
        null_safe: NULL equals NULL.
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
    """The first rows after `offset` rows; either may be missing."""

    limit: exp.Expr | None
    offset: exp.Expr | None = None


def _widened(node: Node, outputs: tuple[str, ...]) -> tuple[str, ...]:
    """Return a node's columns and others; the weight stays the last."""
    names = tuple(c for c in node.columns if c != WEIGHT) + outputs
    return (*names, WEIGHT) if WEIGHT in node.columns else names


Node: TypeAlias = (
    "Scan | Values | Empty | Filter | Project | Join | OuterJoin | SemiJoin | SetOp | Generate"
    " | TimeWindow | Aggregate | GroupingSets | Pivot | Unpivot | Distinct | Window | UnionAll"
    " | Broadcast | Materialize | RuntimeFilter | Sort | Limit | ScalarSubquery | Mark | Lateral"
)

NODES: tuple[type[Any], ...] = (
    *(Scan, Values, Empty, Filter, Project, Join, OuterJoin, SemiJoin, SetOp, Generate),
    *(TimeWindow, Aggregate, GroupingSets, Pivot, Unpivot, Distinct, Window, UnionAll, Broadcast),
    *(Materialize, RuntimeFilter, Sort, Limit, ScalarSubquery, Mark, Lateral),
)
"""All kinds of nodes. `tests/unit/algebra/test_nodes.py` tests every table of kinds against it."""
