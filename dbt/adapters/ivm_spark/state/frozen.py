"""The frozen rows of a state: those that no refresh touches, because the model says so.

    frozen_where: order_date < '2024-01-01'

A row of the state is a row of the view or a group of it, and the condition is one on the columns by
which rows are matched. So it can be applied to the rows of the sources before they are added up:

    live    the input where the condition is not true: its delta changes the state, and a rebuild
            computes it
    frozen  the rows of the state where the condition is true, as they are

Each row of a delta of the live part belongs to a row of the state that is not frozen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.columns import column, over, passed
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.tree import (
    WEIGHT,
    Aggregate,
    Filter,
    Item,
    Node,
    Project,
    Scan,
    UnionAll,
)
from dbt.adapters.ivm_spark.delta.moved import not_true
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import bind_plain
from dbt.adapters.ivm_spark.state.layout import STATE, Layout

COUNTED = "frozen"


@dataclass(frozen=True)
class Frozen:
    """The rows of a state that no refresh touches.

    Attributes:
        text: the condition as the model writes it.
        condition: the same over the columns of the state.
        layout: the layout of the state with all rows, None for a query that is stored as it is.
        given: the frozen rows with the state's columns, if a first build takes them from another
            table; None if the query gives them.
    """

    text: str
    condition: exp.Expr
    layout: Layout | None
    given: exp.Select | None = None

    @property
    def live(self) -> Layout | None:
        """Return the layout whose input has only the rows that refreshes bring into the state."""
        return None if self.layout is None else _filtered(self.layout, not_true(self.condition))

    @property
    def part(self) -> Layout | None:
        """Return the layout whose input has only the rows of the frozen part."""
        return None if self.layout is None else _filtered(self.layout, self.condition)

    @property
    def is_live(self) -> exp.Expr:
        """Return the condition, over the columns of the state, that a row is not frozen."""
        return not_true(self.condition)

    def rows(self, state: str, columns: tuple[str, ...]) -> Node:
        """Return the frozen rows of a state (quoted name) that has these columns."""
        fields = tuple((name, name) for name in columns)
        return Filter(Scan(state, STATE, fields), self.condition)

    def beside(self, live: Node, state: str) -> Node:
        """Return the new contents of a state: the live rows, and the frozen ones as they are."""
        return UnionAll((live, self.rows(state, live.columns)), widens=False)

    def beside_text(self, sql: str, state: str, columns: tuple[str, ...]) -> str:
        """Return the new contents of a state where the live rows come from a text.

        Args:
            sql: a query with the columns of the state; its frozen rows are left out.
            state: quoted name.
            columns: of the state.
        """
        live = f"select * from (\n{sql}\n) as ivm_live where {to_sql(self.is_live)}"
        kept = self.given or render(self.rows(state, columns), bind_plain)
        return f"{live}\nunion all\n{to_sql(kept)}"


def _filtered(layout: Layout, condition: exp.Expr) -> Layout:
    """Return a layout of the rows of its input whose keys satisfy a condition."""
    keys = {key.name: key.expression for key in layout.keys}
    return replace(layout, input=Filter(layout.input, over(condition, keys)))


def changed_rows(layout: Layout, change: Node) -> Node:
    """Return a relation of one row: the number of rows of the state that a delta would change.

    A group counts if a row of it has changed. The column is `COUNTED`.

    Args:
        layout: of the state.
        change: a delta of its input.
    """
    items = (*layout.keys, Item(WEIGHT, column(WEIGHT)))
    keys = passed(key.name for key in layout.keys)
    net = Item(WEIGHT, exp.Sum(this=column(WEIGHT)))
    moved: Node = Aggregate(Project(change, items), keys, (net,))
    if layout.scattered:
        moved = Filter(moved, exp.NEQ(this=column(WEIGHT), expression=exp.Literal.number(0)))
    count = Item(COUNTED, exp.Count(this=exp.Literal.number(1)))
    return Aggregate(moved, (), (count,))
