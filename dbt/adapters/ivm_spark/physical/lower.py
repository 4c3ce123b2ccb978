"""Turn a delta into the statements of a refresh: the passes in order, then SQL.

    delta ─ PASSES ─→ materialized relations, a tree over them ─ state.write ─→ Statements ─→ SQL

The statements are data: names, trees, and the questions that are worth asking before each of them.
Answers only narrow filters in these trees. They never cause a second derivation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.materialized import Materialized, temporary
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode
from dbt.adapters.ivm_spark.algebra.traversal import substitute
from dbt.adapters.ivm_spark.algebra.tree import WEIGHT, Distinct, Node
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts, rows_of
from dbt.adapters.ivm_spark.physical.broadcast import Bounds, with_broadcasts
from dbt.adapters.ivm_spark.physical.collected_keys import are_collected, collected, collected_sql
from dbt.adapters.ivm_spark.physical.common_subplans import share_common_subplans
from dbt.adapters.ivm_spark.physical.expensive_predicates import defer_expensive_predicates
from dbt.adapters.ivm_spark.physical.file_pruning import PrunedScan, Views
from dbt.adapters.ivm_spark.physical.key_ranges import (
    Answer,
    Answers,
    Question,
    answered,
    questions_sql,
)
from dbt.adapters.ivm_spark.physical.magic_sets import push_magic_sets
from dbt.adapters.ivm_spark.physical.materialize import materialize_before_big_tables
from dbt.adapters.ivm_spark.physical.rebuild_predicates import with_predicates
from dbt.adapters.ivm_spark.physical.runtime_filters import (
    narrowed,
    narrowing,
    pruned_scans,
    question_of,
    questions,
    with_runtime_filters,
)
from dbt.adapters.ivm_spark.physical.semijoin_reduction import reduce_partners
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import Binding, read_at
from dbt.adapters.ivm_spark.state.fill import fill
from dbt.adapters.ivm_spark.state.insert import Insert
from dbt.adapters.ivm_spark.state.layout import Layout
from dbt.adapters.ivm_spark.state.matched import of_target
from dbt.adapters.ivm_spark.state.merge import Merge
from dbt.adapters.ivm_spark.state.rewrite import (
    Addition,
    Before,
    Exchange,
    StateChange,
    exchange,
    is_rewritten,
    locate,
    rewrite,
)
from dbt.adapters.ivm_spark.state.target import Target
from dbt.adapters.ivm_spark.state.write import write


@dataclass(frozen=True)
class Known:
    """What is known of the sources before a refresh.

    Attributes:
        changed: for each source that moved, by quoted name, an upper bound of its changed rows,
            counted in changes (an update is two).
        sources: facts of all sources, by quoted name.
    """

    changed: Mapping[str, int] = field(default_factory=dict)
    sources: Mapping[str, SourceFacts] = field(default_factory=dict)

    @property
    def bounds(self) -> Bounds:
        """Return the bounds of the changes."""
        return Bounds(self.changed)

    @property
    def rows(self) -> dict[str, int]:
        """Return the rows of each source."""
        return rows_of(self.sources)


@dataclass(frozen=True)
class Pass:
    """A rewrite of a delta into a cheaper one with the same rows.

    Attributes:
        name: the field's term.
        run: the rewrite; it returns the same tree if there is nothing to do.
        place: why the pass runs at its place in `PASSES`.
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
        lambda node, known: materialize_before_big_tables(node, known.bounds, known.rows),
        "before keys are pushed down: what is materialized has a size, and keys to ask for",
    ),
    Pass(
        "semi-join reduction",
        lambda node, known: reduce_partners(node, known.bounds, known.sources),
        "after all joins have their final shape; it marks small sides of unknown size itself",
    ),
    Pass(
        "runtime filters",
        lambda node, known: with_runtime_filters(node, known.sources),
        "last: it marks the scans that are left under a small relation, reduced ones included",
    ),
)
"""The passes of a delta, in the order in which they run. `share_common_subplans` runs after
them."""


@dataclass(frozen=True)
class Statements:
    """The statements of a refresh: they materialize relations, and the last one changes the state.

    Attributes:
        materialized: the relations to compute before the last statement, in this order.
        write: the last statement, which changes the state.
        bind: maps scans to SQL.
        bounds: of the sources' changes and the materialized relations.
        answers: to the questions that have been asked so far.
        views: of the files that those answers leave of big sources.
    """

    materialized: tuple[Materialized, ...]
    write: Merge | Insert
    bind: Binding
    bounds: Bounds = field(default_factory=Bounds)
    answers: Answers = field(default_factory=dict)
    views: Views = field(default_factory=dict)

    @property
    def asks(self) -> tuple[tuple[Question, ...], ...]:
        """Return the questions that are worth asking before each statement, in their order."""
        met = self.write.met if isinstance(self.write, Merge) else ()
        own = [q for q in map(question_of, met) if q is not None]
        last = tuple(dict.fromkeys((*own, *questions(self.write.source))))
        return (*(tuple(questions(m.relation)) for m in self.materialized), last)

    def question(self, asked: Sequence[Question]) -> exp.Query:
        """Return a query whose rows answer some questions; see `answers_in`."""
        return collected_sql(asked) if are_collected(asked, self.bounds) else questions_sql(asked)

    def answers_in(
        self, asked: Sequence[Question], rows: Iterable[Mapping[str, Any]]
    ) -> dict[Question, Answer]:
        """Return the answers in the rows of `question`."""
        return (collected if are_collected(asked, self.bounds) else answered)(asked, rows)

    def answered(self, answers: Answers) -> Statements:
        """Return the same statements, narrowed by answers."""
        return replace(self, answers={**self.answers, **answers})

    @property
    def trees(self) -> tuple[Node, ...]:
        """Return what the statements compute, in their order."""
        return (*(m.relation for m in self.materialized), self.write.source)

    @property
    def prunes(self) -> dict[PrunedScan, Answer]:
        """Return the scans that answers prune, with these, unless `views` has them."""
        found = (scan for tree in self.trees for scan in pruned_scans(tree, self.answers))
        return {scan: self.answers[scan.question] for scan in found if scan not in self.views}

    def query(self, node: Node) -> exp.Query:
        """Return a tree of these statements as SQL.

        The tree is narrowed to the keys in the answers, and its inputs that are certainly small are
        broadcast.
        """
        known = narrowed(node, self.answers, self.views)
        return render(with_broadcasts(known, self.bounds), self.bind)

    def text(self, node: Node) -> str:
        """Return the text of `query`."""
        return to_sql(self.query(node), pretty=True)

    def materialization(self, number: int) -> tuple[str, str]:
        """Return the name and the query of a materialized relation."""
        relation = self.materialized[number]
        return relation.name, self.text(relation.relation)

    @property
    def materializations(self) -> list[tuple[str, str]]:
        """Return the name and the query of every materialized relation."""
        return [self.materialization(number) for number in range(len(self.materialized))]

    @property
    def condition(self) -> exp.Expr:
        """Return the condition of a MERGE, narrowed by what the answers say of the state's keys.

        Delta and Parquet skip files and row groups by the added conditions.
        """
        assert isinstance(self.write, Merge)
        return exp.and_(self.write.on, *narrowing(self.write.met, self.answers, of_target))

    def replacement(self, before: Before) -> StateChange | None:
        """Return what may take the place of the last statement, None if nothing may."""
        write = self.write
        if isinstance(write, Insert):
            return None if write.overwrite else Addition(self.query(write.source))
        if is_rewritten(before.rows):
            return rewrite(write, self.query(write.source), before.stored)
        return None if write.meets is None else self._exchange(write, write.meets, before)

    def _exchange(self, merge: Merge, meets: Node, before: Before) -> Exchange:
        """Return a MERGE as an exchange of rows; `meets` is its own."""
        source = merge.source
        if merge.found is not None:
            found = temporary(before.stored, merge.found.columns)
            source = substitute(source, merge.found, found)
        table = exp.to_table(before.state, dialect="spark")
        read_at(table, before.version)
        located = locate(table, self.query(meets), self.condition)
        return exchange(merge, self.query(source), located, before.stored)

    @property
    def insert(self) -> Statements:
        """Return the statements with an INSERT instead of a MERGE that removes no row."""
        assert isinstance(self.write, Merge)
        return replace(self, write=self.write.insert)

    @property
    def is_insert(self) -> bool:
        """Return whether an INSERT changes the state."""
        return isinstance(self.write, Insert)

    @property
    def template(self) -> dict[str, Any]:
        """Return the parts of the last statement as text.

        The macros `ivm_merge` and `ivm_insert` take them. They are the fields of `Merge`, with `on`
        narrowed, or those of `Insert`. A clause that is None is an empty text.
        """
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

    Args:
        layout: of the state.
        delta: of `layout.input`.
        target: the state to write into.
        insert_only: the sources only gained rows.
        known: of the sources.
        bind: maps scans to SQL.
    """
    before, relation = optimized(delta, known, target.token)
    few = known.bounds.fit_broadcast(Distinct(delta))
    change = write(layout, relation, replace(target, few=few), insert_only)
    materialized = (*before, *change.materialized)
    return Statements(materialized, change, bind, known.bounds.with_materialized(materialized))


def optimized(delta: Node, known: Known, token: str = "") -> tuple[tuple[Materialized, ...], Node]:
    """Run all passes: return the relations to materialize, in order, and the delta over them.

    Raises NotMaintained (INTERNAL_ERROR) if a pass breaks the columns.
    """
    node = delta
    for one in PASSES:
        node = one.run(node, known)
        check_columns(one.name, delta, node)
    return share_common_subplans(node, token)


def check_columns(name: str, before: Node, after: Node) -> None:
    """Check that a relation still has its columns, and the weight exactly once.

    Raises NotMaintained (INTERNAL_ERROR).
    """
    if after.columns != before.columns or after.columns.count(WEIGHT) != 1:
        detail = f"{name}: {before.columns} became {after.columns}"
        raise NotMaintained(ReasonCode.INTERNAL_ERROR, detail)


def lower_rebuild(layout: Layout, sources: Mapping[str, SourceFacts]) -> Node:
    """Return the rows of a state as a rebuild computes them.

    Args:
        layout: of the state.
        sources: facts of all sources, by quoted name.
    """
    return with_predicates(fill(layout), sources)
