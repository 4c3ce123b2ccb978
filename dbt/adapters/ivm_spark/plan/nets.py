"""Net changes of sources whose rows were all replaced, computed once for all models of a run.

If a dbt `table` model was rebuilt or a source was overwritten, its feed deletes and inserts all
rows. The run stores the rows that are left once equal rows have cancelled out.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from threading import Lock

from dbt_common.exceptions import DbtDatabaseError

from dbt.adapters.ivm_spark.algebra.catalog import relation_key
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.tree import WEIGHT
from dbt.adapters.ivm_spark.delta.net import can_be_netted, net_rows
from dbt.adapters.ivm_spark.plan.comparing import TRIED_AGAIN
from dbt.adapters.ivm_spark.plan.decide import HOPE, Decision, Situation, decide
from dbt.adapters.ivm_spark.plan.findings import Findings
from dbt.adapters.ivm_spark.plan.tuning import STORED_PLANS
from dbt.adapters.ivm_spark.source.binding import Versions
from dbt.adapters.ivm_spark.source.commit import Effect
from dbt.adapters.ivm_spark.source.reader import Query
from dbt.adapters.ivm_spark.source.version_range import VersionRange
from dbt.adapters.ivm_spark.sql.render import render

SECONDS = 0.4
"""Seconds that computing a net change takes, however few the rows."""
ROWS = 1_000_000
"""Rows of a feed that add a second."""
_SHARED = "global_temp"
"""Spark's schema of temporary views that all sessions of an application see."""


@dataclass(frozen=True)
class Net:
    """The net change of a source over a version range.

    Attributes:
        relation: the relation of its rows, as SQL names it, with the source's columns and the
            weight 1 or -1.
        lost: the number of rows that the source lost.
        gained: the number of rows that it gained.
    """

    relation: str
    lost: int
    gained: int


class Nets:
    """The net changes of one dbt run, shared by its threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._locks: dict[tuple[str, int, int], Lock] = {}
        self._known: dict[tuple[str, int, int], Net | None] = {}

    def of(
        self,
        query: Query,
        source: str,
        version_range: VersionRange,
        columns: Sequence[tuple[str, str]],
    ) -> Net | None:
        """Return the net change of a source over a version range, None if Spark can't compute it.

        The first thread that asks computes it. Without a net change, the refresh reads the feed and
        says why.

        Args:
            query: sends a statement.
            source: the quoted name of the source.
            version_range: the version range of the source.
            columns: (name, Spark type) of the source's columns.
        """
        key = source, version_range.first, version_range.pinned
        with self._lock:
            own = self._locks.setdefault(key, Lock())
        with own:
            if key not in self._known:
                self._known[key] = _computed(query, source, version_range, columns)
            return self._known[key]

    @property
    def any_materialized(self) -> bool:
        """Return whether there is something to drop."""
        return any(net is not None for net in self._known.values())

    def drop(self, query: Query) -> None:
        """Drop the stored relations at the end of the run."""
        for net in self._known.values():
            if net is not None:
                with suppress(DbtDatabaseError):
                    query(f"drop view if exists {net.relation}")
        self._known.clear()


def netted(
    situation: Situation, found: Findings, query: Query, nets: Nets
) -> tuple[Situation, dict[str, str]]:
    """Return the situation with the net changes of replaced sources, and their relations.

    The relations are listed by source. A source is netted if the refresh is incremental anyhow. It
    is also netted if the refresh may become incremental, and the net change is estimated to cost
    less than that saves.
    """
    if not any(c.replaces or c.overwrites for h in situation.heads.values() for c in h.commits):
        return situation, {}  # return before `decide`, which may derive a delta
    decision = decide(situation)
    names = _replaced(found, decision)
    if not names or (decision.build and not _pays(situation, decision, names)):
        return situation, {}
    ranges, relations = dict[str, VersionRange](), dict[str, str]()
    for name in names:
        columns = found.catalog.relations[relation_key(name)].columns
        version_range = decision.ranges[name]
        net = nets.of(query, name, version_range, columns)
        if net is not None:
            ranges[name], relations[name] = _range(version_range, net), net.relation
    no_ops = frozenset(name for name, version_range in ranges.items() if not version_range.rows)
    return replace(situation, netted=ranges, no_ops=situation.no_ops | no_ops), relations


def _replaced(found: Findings, decision: Decision) -> list[str]:
    """Return the sources whose rows were all replaced and can be netted."""
    if found.layout is None or found.watermark is None:
        return []
    return [
        name
        for name, version_range in decision.ranges.items()
        if version_range.moved
        and version_range.replaced
        and version_range.broken is None
        and can_be_netted(found.catalog.relations[relation_key(name)].columns)
    ]


def _pays(situation: Situation, decision: Decision, names: Sequence[str]) -> bool:
    """Return whether net changes in place of a rebuild are estimated to pay.

    If they did not last time, they are not computed again for some refreshes.
    """
    last = situation.watermark
    vain = last is not None and last.stats.netted_in_vain and (last.refresh + 1) % TRIED_AGAIN
    if not decision.for_cost or vain:
        return False
    hoped = decide(replace(situation, no_ops=situation.no_ops | frozenset(names)))
    thought = hoped.estimates
    if hoped.build or thought is None:
        return False
    rows = sum(decision.ranges[name].rows for name in names)
    extra = len(names) * SECONDS + rows / ROWS
    return thought.incremental + extra <= HOPE * thought.full


def _range(version_range: VersionRange, net: Net) -> VersionRange:
    effect = Effect.GENERAL
    if not net.lost and net.gained:
        effect = Effect.INSERTS
    elif net.lost and not net.gained:
        effect = Effect.DELETES
    return replace(version_range, effect=effect, rows=net.lost + net.gained, updates=False)


def _computed(
    query: Query, source: str, version_range: VersionRange, columns: Sequence[tuple[str, str]]
) -> Net | None:
    bind = Versions(
        {source: version_range.first},
        {source: version_range.pinned},
        read_by={source: version_range.source},
    ).bind
    sql = to_sql(render(net_rows(source, columns), bind), pretty=True)
    relation = f"{_SHARED}.ivm_net_{uuid.uuid4().hex[:12]}"
    try:
        # With its plan stored, every session finds the cached rows. With its text, each session
        # would make a plan of its own.
        before: Mapping[str, object] = query(f"set {STORED_PLANS}")[0]
        query(f"set {STORED_PLANS}=true")
        try:
            query(f"create global temporary view {relation.split('.')[1]} as\n{sql}")
        finally:
            query(f"set {STORED_PLANS}={before['value']}")
        query(f"cache table {relation}")
        (row,) = query(
            f"select count_if({WEIGHT} < 0) as lost, count_if({WEIGHT} > 0) as gained "
            f"from {relation}"
        )
    except DbtDatabaseError:
        with suppress(DbtDatabaseError):
            query(f"drop view if exists {relation}")
        return None
    return Net(relation, int(row["lost"]), int(row["gained"]))
