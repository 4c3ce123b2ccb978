"""The change of a view: its delta, derived once, its work, and its statements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from dbt.adapters.ivm_spark.algebra.columns import tree_expressions
from dbt.adapters.ivm_spark.algebra.moved import moves
from dbt.adapters.ivm_spark.algebra.tree import Empty, Node
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts
from dbt.adapters.ivm_spark.delta.bags import weighted
from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.references import Lasting, resolved, with_every_row
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.delta.without import without_changes
from dbt.adapters.ivm_spark.physical.lower import Known, Statements, lower
from dbt.adapters.ivm_spark.plan.work import work_of
from dbt.adapters.ivm_spark.source.binding import Versions
from dbt.adapters.ivm_spark.source.version_range import VersionRange, insert_only
from dbt.adapters.ivm_spark.state.layout import Layout
from dbt.adapters.ivm_spark.state.target import Target
from dbt.adapters.ivm_spark.watermark.cost_model import Work


class Derivation:
    """The delta of a view, derived when it is first asked for.

    It is derived over all sources that have moved. Over fewer of them, the delta is the same tree
    without the changes of the others. `sources` holds the facts of all sources, by quoted name, and
    `lasting` the foreign keys that leave terms out.
    The attribute `moves` says whether an expression has moved, with the clock or since the model's
    SQL has changed, and `trusted` has the sources that those foreign keys refer to.
    """

    def __init__(
        self,
        layout: Layout,
        sources: Mapping[str, SourceFacts],
        lasting: Lasting | None = None,
    ) -> None:
        self._layout = layout
        self._sources = sources
        self._lasting = lasting or Lasting()
        self._moved = frozenset[str]()
        self.trusted = frozenset(key.referenced for key in self._lasting.foreign_keys)
        self.moves = any(map(moves, tree_expressions(layout.input)))
        self._derived: Node | None = None

    def over(self, moved: frozenset[str]) -> Node:
        """Return the delta over the sources that moved (quoted names), `Empty` without any.

        Raises NotMaintained for an operator that has no rule.
        """
        any_moved = bool(moved) or self.moves
        if any_moved and (self._derived is None or not moved <= self._moved):
            self._moved = moved
            self._derived = self._delta(moved)
        left = self._derived if any_moved else None
        if left is not None and moved != self._moved:
            left = without_changes(left, self._moved - moved)
        if left is None or isinstance(left, Empty):
            return Empty(weighted(self._layout.input, 1))
        return left

    def _delta(self, moved: frozenset[str]) -> Node | None:
        keys = self._lasting.foreign_keys
        root = with_every_row(self._layout.input, keys, self._sources)
        derived = delta(root, Context(moved, self._sources))
        return None if derived is None else resolved(derived, self._lasting.lost, self._sources)

    def work(self, changed: Mapping[str, int], insert_only: bool) -> Work:
        """Return the work of a refresh; see `work_of`."""
        change = self.over(frozenset(changed))
        return work_of(self._layout, change, self._sources, changed, insert_only)


@dataclass(frozen=True)
class Change:
    """The change that an incremental refresh makes to the state.

    Attributes:
        layout: the layout of the state.
        derivation: the derivation of the view's delta.
        ranges: the version range of each source, by quoted name.
        versions: the versions at which the refresh reads the sources and the state.
        sources: the facts of all sources, by quoted name.
        target: the state.
    """

    layout: Layout
    derivation: Derivation
    ranges: Mapping[str, VersionRange]
    versions: Versions
    sources: Mapping[str, SourceFacts]
    target: Target

    def statements(self, no_ops: frozenset[str]) -> Statements:
        """Return the statements without the changes of no-op sources.

        The changes of a no-op source have no net effect on the view.
        """
        moved = self._moved(no_ops)
        known = Known({name: 2 * r.rows for name, r in moved.items()}, self.sources)
        change = self.derivation.over(frozenset(moved))
        grows = self._grows(moved)
        return lower(self.layout, change, self.target, grows, known, self.versions.bind)

    def work(self, no_ops: frozenset[str], planned: Work) -> Work:
        """Return the work of the refresh without the changes of no-op sources.

        `planned` is the work with their changes.
        """
        moved = self._moved(no_ops)
        changed = {name: r.rows for name, r in moved.items()}
        work = self.derivation.work(changed, self._grows(moved))
        return replace(
            work,
            rows=planned.rows,
            rewrites=planned.rewrites,
            exchanges=planned.exchanges,
            touched=planned.touched,
            early=planned.early,
        )

    def _grows(self, moved: Mapping[str, VersionRange]) -> bool:
        """Return whether the view's sources only gain rows, and no expression has moved."""
        return insert_only(moved.values()) and not self.derivation.moves

    def _moved(self, no_ops: frozenset[str]) -> dict[str, VersionRange]:
        return {n: r for n, r in self.ranges.items() if r.moved and n not in no_ops}
