"""Changes of sources, computed once for all models of a run.

If a dbt `table` model was rebuilt or a source was overwritten, its feed deletes and inserts all
rows. The run stores the rows that are left once equal rows have cancelled out: the net change. If
many models of the run read a source, the run stores the rows of its feed as they are.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, TypeVar

from dbt_common.exceptions import DbtDatabaseError

from dbt.adapters.ivm_spark.algebra.catalog import relation_key
from dbt.adapters.ivm_spark.algebra.columns import passed
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.materialized import FEW_ROWS
from dbt.adapters.ivm_spark.algebra.tree import WEIGHT, At, Node, Project, Scan
from dbt.adapters.ivm_spark.delta.net import can_be_netted, net_rows
from dbt.adapters.ivm_spark.plan.comparing import TRIED_AGAIN
from dbt.adapters.ivm_spark.plan.decide import HOPE, Decision, Situation, decide
from dbt.adapters.ivm_spark.plan.findings import Findings
from dbt.adapters.ivm_spark.plan.tuning import STORED_PLANS
from dbt.adapters.ivm_spark.session.condition import attempted
from dbt.adapters.ivm_spark.source.binding import Versions
from dbt.adapters.ivm_spark.source.commit import Effect
from dbt.adapters.ivm_spark.source.reader import Query
from dbt.adapters.ivm_spark.source.version_range import VersionRange
from dbt.adapters.ivm_spark.sql.render import render

SECONDS = 0.4
"""Seconds that computing a net change takes, however few the rows."""
ROWS = 200_000
"""Rows of a feed that add a second. Each is read, compared by all columns with the others, and
stored."""
MOST_SHARED = 500_000
"""Changed rows up to which a feed is stored."""
MOST_KEPT = 10 * FEW_ROWS
"""Rows of all feeds that a run keeps in the driver. More of them are in Spark's cache, which writes
to disk what does not fit."""
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


Columns = Sequence[tuple[str, str]]
"""(name, Spark type) of a source's columns."""
KeepFew = Callable[[str, str], bool]
"""Keeps the rows of a query as a temporary view of that name, which all sessions see, if there are
few; whether it did."""
_T = TypeVar("_T")


class SharedChanges:
    """The changes of sources that the models of one dbt run share, over all threads.

    keep_few: what may take the place of the statements that store few rows; without it, there are
    only the statements.
    """

    def __init__(self, keep_few: KeepFew | None = None) -> None:
        self._keep_few = keep_few
        self._lock = Lock()
        self._locks: dict[Any, Lock] = {}
        self._nets: dict[Any, Net | None] = {}
        self._feeds: dict[Any, str | None] = {}
        self._answers: dict[Any, Any] = {}
        self._kept = 0

    def net(
        self, query: Query, source: str, version_range: VersionRange, columns: Columns
    ) -> Net | None:
        """Return the net change of a source over a version range, None if Spark can't compute it.

        The first thread that asks computes it. Without a net change, the refresh reads the feed and
        says why.

        Args:
            query: sends a statement.
            source: the quoted name of the source.
            version_range: the version range of the source.
            columns: of the source.
        """
        key = source, version_range.first, version_range.pinned
        return self._once(
            self._nets,
            key,
            lambda: _stored(query, lambda name: _net(query, name, source, version_range, columns)),
        )

    def feed(
        self, query: Query, source: str, version_range: VersionRange, columns: Columns
    ) -> str | None:
        """Return the relation of a source's changed rows, None if Spark can't compute it.

        It has the source's columns and the weight of each row, as `Versions.bind` reads them from
        the feed itself. The first thread that asks stores the rows.

        Args:
            query: sends a statement.
            source: the quoted name of the source.
            version_range: the version range of the source.
            columns: of the source.
        """
        key = source, version_range.first, version_range.pinned, tuple(columns)
        return self._once(
            self._feeds,
            key,
            lambda: _stored(
                query,
                lambda name: _feed(query, name, source, version_range, columns, self._keeps),
            ),
        )

    def answer(self, question: Any, ask: Callable[[], _T]) -> _T | None:
        """Return the answer to a question about changes, None if Spark can't give it.

        The first thread that asks the question asks Spark.
        """
        return self._once(self._answers, question, lambda: attempted(ask))

    def _keeps(self, name: str, sql: str, rows: int) -> bool:
        """Keep the rows of a query in the driver, if there is room for so many; whether it did."""
        if self._keep_few is None or rows > FEW_ROWS:
            return False
        with self._lock:
            if self._kept + rows > MOST_KEPT:
                return False
            self._kept += rows
        return self._keep_few(name, sql)

    def _once(
        self, known: dict[Any, _T | None], key: Any, compute: Callable[[], _T | None]
    ) -> _T | None:
        """Return what the first thread that asks computes."""
        with self._lock:
            own = self._locks.setdefault(key, Lock())
        with own:
            if key not in known:
                known[key] = compute()
            return known[key]

    @property
    def any_materialized(self) -> bool:
        """Return whether there is something to drop."""
        return bool(self._relations())

    def drop(self, query: Query) -> None:
        """Drop the stored relations at the end of the run."""
        for relation in self._relations():
            with suppress(DbtDatabaseError):
                query(f"drop view if exists {relation}")
        self._nets.clear()
        self._feeds.clear()
        self._answers.clear()
        self._kept = 0

    def _relations(self) -> list[str]:
        nets = (net.relation for net in self._nets.values() if net is not None)
        return [*nets, *filter(None, self._feeds.values())]


def netted(
    situation: Situation, found: Findings, query: Query, changes: SharedChanges
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
        net = changes.net(query, name, version_range, columns)
        if net is not None:
            ranges[name], relations[name] = _range(version_range, net), net.relation
    no_ops = frozenset(name for name, version_range in ranges.items() if not version_range.rows)
    return replace(situation, netted=ranges, no_ops=situation.no_ops | no_ops), relations


def shared_feeds(
    decision: Decision,
    found: Findings,
    query: Query,
    changes: SharedChanges,
    read_by_many: Set[str],
    apart: Set[str],
) -> dict[str, str]:
    """Return the relations of the changed rows that an incremental refresh shares, by source.

    Args:
        decision: for an incremental refresh.
        found: the findings about the view and its sources.
        query: sends a statement.
        changes: of the run.
        read_by_many: the keys of the relations that many models of the run read.
        apart: the sources whose feed the refresh does not read.
    """
    relations = dict[str, str]()
    for name, version_range in decision.ranges.items():
        if name in apart or relation_key(name) not in read_by_many:
            continue
        columns = found.catalog.relations[relation_key(name)].columns
        if not _is_shared(version_range, columns):
            continue
        relation = changes.feed(query, name, version_range, columns)
        if relation is not None:
            relations[name] = relation
    return relations


def _is_shared(version_range: VersionRange, columns: Columns) -> bool:
    readable = version_range.moved and version_range.broken is None
    clashes = any(name.lower() == WEIGHT for name, _ in columns)
    return readable and 0 < version_range.rows <= MOST_SHARED and bool(columns) and not clashes


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


def _stored(query: Query, compute: Callable[[str], _T]) -> _T | None:
    """Return what is computed as a view of a new name, None if Spark can't compute it."""
    name = _new_name()

    def compute_or_drop() -> _T:
        try:
            return compute(name)
        except DbtDatabaseError:
            with suppress(DbtDatabaseError):
                query(f"drop view if exists {_SHARED}.{name}")
            raise

    return attempted(compute_or_drop)


def _net(
    query: Query, name: str, source: str, version_range: VersionRange, columns: Columns
) -> Net:
    _store(query, name, _sql(net_rows(source, columns), source, version_range))
    (row,) = query(
        f"select count_if({WEIGHT} < 0) as lost, count_if({WEIGHT} > 0) as gained "
        f"from {_SHARED}.{name}"
    )
    return Net(f"{_SHARED}.{name}", int(row["lost"]), int(row["gained"]))


def _feed(
    query: Query,
    name: str,
    source: str,
    version_range: VersionRange,
    columns: Columns,
    keeps: Callable[[str, str, int], bool],
) -> str:
    own = tuple(column for column, _ in columns)
    rows = Scan(source, "source", tuple((column, column) for column in own), At.CHANGES)
    sql = _sql(Project(rows, passed((*own, WEIGHT))), source, version_range)
    both_images = 2 if version_range.updates else 1
    if not keeps(name, sql, version_range.rows * both_images):
        _store(query, name, sql)
    return f"{_SHARED}.{name}"


def _sql(tree: Node, source: str, version_range: VersionRange) -> str:
    """Return a query of a source's change over a version range."""
    bind = Versions(
        {source: version_range.first},
        {source: version_range.pinned},
        read_by={source: version_range.source},
    ).bind
    return to_sql(render(tree, bind), pretty=True)


def _new_name() -> str:
    return f"ivm_shared_{uuid.uuid4().hex[:12]}"


def _store(query: Query, name: str, sql: str) -> None:
    """Store a query's rows as a view that all sessions see. Raises DbtDatabaseError."""
    # With its plan stored, every session finds the cached rows. With its text, each session would
    # make a plan of its own.
    before: Mapping[str, object] = query(f"set {STORED_PLANS}")[0]
    query(f"set {STORED_PLANS}=true")
    try:
        query(f"create global temporary view {name} as\n{sql}")
    finally:
        query(f"set {STORED_PLANS}={before['value']}")
    query(f"cache table {_SHARED}.{name}")
