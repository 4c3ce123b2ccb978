"""What becomes of a state if the model's SQL has changed: it is kept if it can be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from dbt_common.exceptions import DbtDatabaseError
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.catalog import Relation
from dbt.adapters.ivm_spark.algebra.clock import clock_calls, clock_constants, with_constants
from dbt.adapters.ivm_spark.algebra.columns import expressions_of
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.moved import after_move, before_move, moves
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode
from dbt.adapters.ivm_spark.algebra.recorded import read_recorded, recorded
from dbt.adapters.ivm_spark.algebra.traversal import nodes, not_too_deep
from dbt.adapters.ivm_spark.algebra.tree import (
    Aggregate,
    Filter,
    Item,
    Node,
    Project,
    Scan,
)
from dbt.adapters.ivm_spark.delta.moved import differ, is_moved, not_true
from dbt.adapters.ivm_spark.delta.query_change import settled
from dbt.adapters.ivm_spark.delta.query_forms import OtherQuery
from dbt.adapters.ivm_spark.plan.clock import Clock, read_clock
from dbt.adapters.ivm_spark.plan.config import OnQueryChange
from dbt.adapters.ivm_spark.plan.described import Described
from dbt.adapters.ivm_spark.plan.findings import Findings
from dbt.adapters.ivm_spark.plan.reading import lay_out
from dbt.adapters.ivm_spark.plan.refusals import RefusedError, own_statements
from dbt.adapters.ivm_spark.plan.request import Request
from dbt.adapters.ivm_spark.session.condition import says_condition
from dbt.adapters.ivm_spark.source.reader import Query
from dbt.adapters.ivm_spark.sql.build import View
from dbt.adapters.ivm_spark.sql.fingerprint import same_query
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import Binding, columns_read
from dbt.adapters.ivm_spark.state.kept import KeptState, check_fits, kept_state
from dbt.adapters.ivm_spark.state.layout import Layout
from dbt.adapters.ivm_spark.watermark.watermark import StoredQuery, Watermark


def recorded_query(view: View) -> StoredQuery:
    """Return what a watermark records of the query that its state holds."""
    root = settled(view.root)
    return StoredQuery(recorded(root), view.above, columns_of(root, view.sources))


def stored_view(view: View, query: StoredQuery) -> View:
    """Return a view whose state holds another query than its own.

    `view` is the model's query as read, and `query` what the watermark records. Raises
    NotMaintained (STATE_FORMAT_CHANGED) if that can't be read.
    """
    root = read_recorded(query.tree)
    if root is None or columns_of(root, view.sources) != query.columns:
        raise NotMaintained(ReasonCode.STATE_FORMAT_CHANGED, "the query that was kept")
    return replace(view, root=root, above=query.above, clock=clock_constants(root))


def check_query_change(request: Request, before: Watermark | None, found: Findings) -> None:
    """Raise RefusedError if the model's SQL has changed and its config forbids that."""
    forbids = request.config.on_query_change is OnQueryChange.FAIL and not request.full_refresh
    if before is None or not forbids or same_query(before.fingerprint, found.reading.fingerprint):
        return
    change = found.query_change
    would = "its state would be rebuilt"
    if change is not None:
        would = f"{would}: {change.how}"
        if change.kept:
            would = f"its state would be kept, and these would change: {change.how}"
    raise RefusedError(
        f"the SQL of the model has changed, and on_query_change is fail; {would}. Set "
        "on_query_change to keep or rebuild, or run with --full-refresh."
    )


@dataclass(frozen=True)
class Kept:
    """A changed query over the state that there is.

    Attributes:
        view: the query's tree over the state, with values for the constants of the clock.
        types: Spark types of the columns of its probe.
        layout: of the state.
        clock: as the query reads it.
        stored: what the next watermark records of the query.
        edited: rows of the state change; otherwise only the view over it does.
    """

    view: View
    types: dict[str, str]
    layout: Layout
    clock: Clock
    stored: StoredQuery
    edited: bool

    @property
    def how(self) -> str:
        """Return what changes, in the user's words."""
        return "the rows that its new SQL moves" if self.edited else "the view only"


def kept(
    query: Query,
    request: Request,
    watermark: Watermark,
    view: View,
    types: dict[str, str],
    at: int,
    described: Callable[[str], Relation],
) -> Kept:
    """Return a changed query over the state that there is.

    Args:
        query: sends a statement.
        request: of the run.
        watermark: of the state.
        view: the new query as read, with the clock's own calls.
        types: Spark types of the columns of its probe.
        at: the time of the run, in microseconds since 1970.
        described: describes a source by its quoted name.

    Raises OtherQuery, with what differs, if the state can't be kept.
    """
    former = watermark.query
    old = read_recorded(former.tree)
    if old is None:
        raise OtherQuery("the former query was not recorded")
    sources = dict(view.sources)
    for node in nodes(old):
        if isinstance(node, Scan) and node.relation not in sources:
            sources[node.relation] = described(node.relation)
    if columns_of(old, sources) != former.columns:
        raise OtherQuery("other columns of a source")
    with not_too_deep(), own_statements():
        state = kept_state(old, former.above, watermark.types, view.root, types)
        _check_types(query, state)
    before = replace(view, root=old, above=former.above)
    was = _laid_out(request, before, watermark.types, watermark.appends)
    natural = state.natural and _fits(was, request, view, types)
    found = replace(
        view,
        root=state.root,
        above=None if natural else state.above,
        sources={n: r for n, r in sources.items() if columns_read(state.root, n)},
        clock=clock_constants(state.root),
    )
    stored = recorded_query(view if natural else found)
    if not stored.tree:
        raise OtherQuery("a query too long to be recorded")
    clock, _ = read_clock(query, found.clock, at, None) if found.clock else (Clock(), {})
    recorded = clock.recorded
    known = watermark.clock.keys()
    unknown = any(
        to_sql(c) not in known and not {to_sql(call) for call in clock_calls(c)} <= known
        for c in clock_constants(old)
    )
    if unknown or any(recorded.get(c, v) != v for c, v in watermark.clock.items()):
        raise OtherQuery("the time has moved, as the former query read it")
    found = replace(found, root=with_constants(state.root, clock.values))
    layout = _laid_out(request, found, state.types, request.config.table.appends)
    check_fits(was, layout)
    return Kept(found, state.types, layout, clock, stored, state.edited)


def _laid_out(request: Request, view: View, types: dict[str, str], appends: bool) -> Layout:
    """Return the layout of a view's state. Raises OtherQuery if it has none."""
    try:
        return lay_out(view, types, request.state, appends, most=request.most_operators)
    except NotMaintained as error:
        raise OtherQuery(error.reason.detail) from error


def _fits(was: Layout, request: Request, view: View, types: dict[str, str]) -> bool:
    """Return whether a state has the columns that a view's own state would have.

    Two spellings of one aggregate may be one column of the one and two of the other.
    """
    try:
        check_fits(was, _laid_out(request, view, types, request.config.table.appends))
    except OtherQuery:
        return False
    return True


def counted(query: Query, root: Node, bind: Binding) -> int:
    """Return how many rows a change of the query moves in or out, or gives another value.

    The statement reads the sources. Raises NotMaintained if Spark can't compute one of the queries
    on their rows.
    """
    edited = [n for n in nodes(root) if isinstance(n, (Filter, Project)) and is_moved(n)]
    if not edited:
        return 0
    sql = " union all ".join(to_sql(render(_count(node), bind)) for node in edited)
    try:
        return sum(int(row["n"]) for row in query(sql))
    except DbtDatabaseError as error:
        if not says_condition(error):
            raise
        # Often the former query is edited because it fails on a new row.
        detail = "the former query can't be computed on the rows of today"
        raise NotMaintained(ReasonCode.QUERY_FINGERPRINT_CHANGED, detail) from error


def _count(node: Filter | Project) -> Node:
    """Return a tree with one row: the number `n` of rows that an edited operator changes."""
    changes = []
    for expression in filter(moves, expressions_of(node)):
        before, after = before_move(expression), after_move(expression)
        if isinstance(node, Filter):
            before, after = not_true(before), not_true(after)
        changes.append(differ(before, after))
    number = exp.Anonymous(this="count", expressions=[exp.Literal.number(1)])
    return Aggregate(Filter(node.input, exp.or_(*changes)), (), (Item("n", number),))


def _check_types(query: Query, kept: KeptState) -> None:
    """Raise OtherQuery if an operator's columns get other types."""
    described = Described(query)
    for old, new in kept.same_types:
        kinds = list(described.types(old).values())
        if kinds != list(described.types(new).values()):
            raise OtherQuery("other types of columns")
        if any("map<" in kind or "variant" in kind for kind in kinds):
            raise OtherQuery("values that Spark can't compare")


def columns_of(root: Node, sources: Mapping[str, Relation]) -> dict[str, dict[str, str]]:
    """Return the types of the columns that a tree reads of its sources, by quoted name."""
    found: dict[str, dict[str, str]] = {}
    for node in nodes(root):
        if isinstance(node, Scan):
            relation = sources.get(node.relation)
            kinds = {} if relation is None else dict(relation.columns)
            columns = found.setdefault(node.relation, {})
            columns.update({c: kinds.get(c, "") for _, c in node.fields})
    return found
