"""From a delta to the statements of a refresh: the passes, in order, and what becomes SQL.

    delta ─ PASSES ─→ materialized relations, a tree over them ─ state.write ─→ Statements ─→ SQL

The statements are data: names, trees, and the questions that it pays to ask before each of them.
Answers narrow the filters of these trees, and derive nothing again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.materialized import Materialized
from dbt.adapters.ivm_spark.algebra.tree import WEIGHT, Node
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts, rows_of
from dbt.adapters.ivm_spark.physical.broadcast import (
    fits_broadcast,
    with_broadcasts,
    with_materialized,
)
from dbt.adapters.ivm_spark.physical.common_subplans import share_common_subplans
from dbt.adapters.ivm_spark.physical.expensive_predicates import defer_expensive_predicates
from dbt.adapters.ivm_spark.physical.magic_sets import push_magic_sets
from dbt.adapters.ivm_spark.physical.materialize import materialize_before_big_tables
from dbt.adapters.ivm_spark.physical.rebuild_predicates import with_predicates
from dbt.adapters.ivm_spark.physical.runtime_filters import (
    Answers,
    Question,
    narrowed,
    narrowing,
    question_of,
    questions,
    with_runtime_filters,
)
from dbt.adapters.ivm_spark.physical.semijoin_reduction import reduce_partners
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import Binding
from dbt.adapters.ivm_spark.state.fill import fill
from dbt.adapters.ivm_spark.state.insert import Insert
from dbt.adapters.ivm_spark.state.layout import Layout
from dbt.adapters.ivm_spark.state.matched import of_target
from dbt.adapters.ivm_spark.state.merge import Merge
from dbt.adapters.ivm_spark.state.target import Target
from dbt.adapters.ivm_spark.state.write import write


@dataclass(frozen=True)
class Known:
    """What is known of the sources before a refresh.

    Attributes:
        changed: the most rows that changed of each source that moved, by quoted name, counted in
            changes (an update is two).
        sources: facts of all sources, by quoted name.
    """

    changed: Mapping[str, int] = field(default_factory=dict)
    sources: Mapping[str, SourceFacts] = field(default_factory=dict)

    @property
    def rows(self) -> dict[str, int]:
        """Rows of each source."""
        return rows_of(self.sources)


@dataclass(frozen=True)
class Pass:
    """A rewriting of a delta into a cheaper one with the same rows.

    Attributes:
        name: the field's.
        run: returns the same tree if there is nothing to do.
        place: why it runs where it does.
    """

    name: str
    run: Callable[[Node, Known], Node]
    place: str


PASSES: tuple[Pass, ...] = (
    Pass(
        "magic sets",
        lambda node, known: push_magic_sets(node, known.sources),
        "first: it looks for groups and their partners as the rules have left them",
    ),
    Pass(
        "expensive predicates",
        lambda node, known: defer_expensive_predicates(node, known.rows),
        "before joins are cut, so that what a regular expression is matched against is known first",
    ),
    Pass(
        "materialize",
        lambda node, known: materialize_before_big_tables(node, known.changed, known.rows),
        "before keys are pushed down: what is materialized has a size, and keys to ask for",
    ),
    Pass(
        "semi-join reduction",
        lambda node, known: reduce_partners(node, known.changed, known.sources),
        "after all joins have their final shape; it marks small sides of unknown size itself",
    ),
    Pass(
        "runtime filters",
        lambda node, known: with_runtime_filters(node, known.sources),
        "last: it marks the scans that are left under a small relation, reduced ones included",
    ),
)
"""The passes of a delta, in the order in which they run. Common subplans are shared after them."""


class PassError(AssertionError):
    """A defect of ours: a pass has changed what a relation has for columns."""


@dataclass(frozen=True)
class Statements:
    """The statements of a refresh: some materialize relations, the last one changes the state.

    Attributes:
        materialized: what is computed before, in this order.
        write: the statement that changes the state.
        bind: what scans are in SQL.
        most: the most rows of each source's change and of each materialized relation, if known.
        answers: to questions that were asked so far.
    """

    materialized: tuple[Materialized, ...]
    write: Merge | Insert
    bind: Binding
    most: Mapping[str, int] = field(default_factory=dict)
    answers: Answers = field(default_factory=dict)

    @property
    def asks(self) -> tuple[tuple[Question, ...], ...]:
        """What it is worth to know before each statement, the last one's own at the end."""
        met = self.write.met if isinstance(self.write, Merge) else ()
        own = [q for q in map(question_of, met) if q is not None]
        last = tuple(dict.fromkeys((*own, *questions(self.write.source))))
        return (*(tuple(questions(m.relation)) for m in self.materialized), last)

    def answered(self, answers: Answers) -> Statements:
        """Return the same statements, narrowed by answers."""
        return replace(self, answers={**self.answers, **answers})

    def query(self, node: Node) -> exp.Query:
        """Return a tree of these statements as SQL: narrowed to the keys that the answers name, and
        with what is certainly small broadcast."""
        return render(with_broadcasts(narrowed(node, self.answers), self.most), self.bind)

    def text(self, node: Node) -> str:
        """Return the text of `query`."""
        return to_sql(self.query(node), pretty=True)

    def materialization(self, number: int) -> tuple[str, str]:
        """Return the name and the query of a materialized relation."""
        relation = self.materialized[number]
        return relation.name, self.text(relation.relation)

    @property
    def kept(self) -> list[tuple[str, str]]:
        """Name and query of all materialized relations."""
        return [self.materialization(number) for number in range(len(self.materialized))]

    @property
    def condition(self) -> exp.Expr:
        """The condition of a MERGE, with what the answers say of the state's keys, by which files
        and row groups are left out."""
        assert isinstance(self.write, Merge)
        return exp.and_(self.write.on, *narrowing(self.write.met, self.answers, of_target))

    @property
    def insert(self) -> Statements:
        """The statements with an INSERT in the place of a MERGE that takes nothing out."""
        assert isinstance(self.write, Merge)
        return replace(self, write=self.write.insert)

    @property
    def is_insert(self) -> bool:
        """Whether the state is changed by an INSERT."""
        return isinstance(self.write, Insert)

    @property
    def template(self) -> dict[str, Any]:
        """The parts of the last statement as text, for the macros `ivm_merge` and `ivm_insert`:
        those of `Merge`, with `on` narrowed, or of `Insert`; empty for a clause that is None."""
        write, source = self.write, self.text(self.write.source)
        if isinstance(write, Insert):
            return {"source": source, "columns": write.columns, "overwrite": write.overwrite}
        return {
            "source": source,
            "on": to_sql(self.condition),
            "delete_when": to_sql(write.delete_when) if write.delete_when is not None else "",
            "update_when": to_sql(write.update_when) if write.update_when is not None else "",
            "updates": [(name, to_sql(value)) for name, value in write.updates],
            "insert_when": to_sql(write.insert_when),
            "inserts": [(name, to_sql(value)) for name, value in write.inserts],
        }


def lower(
    layout: Layout, delta: Node, target: Target, insert_only: bool, known: Known, bind: Binding
) -> Statements:
    """Return the statements that bring a delta of `layout.input` into the state.

    insert_only: the sources only gained rows; bind: what scans are in SQL.
    """
    before, relation = optimized(delta, known, target.token)
    few = fits_broadcast(delta, known.changed)
    change = write(layout, relation, replace(target, few=few), insert_only)
    materialized = (*before, *change.materialized)
    return Statements(materialized, change, bind, with_materialized(known.changed, materialized))


def optimized(delta: Node, known: Known, token: str = "") -> tuple[tuple[Materialized, ...], Node]:
    """Return what to materialize before a delta is read, in order, and the delta over it.

    Raises PassError if a pass breaks the columns.
    """
    node = delta
    for one in PASSES:
        node = one.run(node, known)
        check_columns(one.name, delta, node)
    return share_common_subplans(node, token)


def check_columns(name: str, before: Node, after: Node) -> None:
    """Raise PassError unless a relation has the columns that it had, the weight exactly once."""
    if after.columns != before.columns or after.columns.count(WEIGHT) != 1:
        raise PassError(f"{name}: {before.columns} became {after.columns}")


def lower_rebuild(layout: Layout, sources: Mapping[str, SourceFacts]) -> Node:
    """Return the rows of a state in the form in which a rebuild asks for them. sources: by quoted
    name."""
    return with_predicates(fill(layout), sources)
