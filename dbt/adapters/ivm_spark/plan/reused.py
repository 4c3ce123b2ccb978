"""A changed query that contains the former one: that part is read from the state.

    former:  SELECT customer_id, sum(amount) AS total FROM orders GROUP BY customer_id
    new:     SELECT t.customer_id, t.total, c.name
             FROM (SELECT customer_id, sum(amount) AS total FROM orders GROUP BY customer_id) t
             LEFT JOIN customers c ON c.customer_id = t.customer_id

The state has the groups of the former query at the recorded versions of its sources. So a rebuild
at these versions joins the state, and does not read `orders`. A refresh follows if it has moved on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from dbt.adapters.ivm_spark.algebra.columns import passed
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained, ReasonCode
from dbt.adapters.ivm_spark.algebra.recorded import read_recorded
from dbt.adapters.ivm_spark.algebra.traversal import children, not_too_deep, substitute
from dbt.adapters.ivm_spark.algebra.tree import Node, Project
from dbt.adapters.ivm_spark.delta.query_forms import OtherQuery
from dbt.adapters.ivm_spark.plan.config import OnQueryChange, RefreshPolicy
from dbt.adapters.ivm_spark.plan.decide import SMALL_ROWS, Decision
from dbt.adapters.ivm_spark.plan.described import Described
from dbt.adapters.ivm_spark.plan.findings import Findings, Reused
from dbt.adapters.ivm_spark.plan.parts import heads_at
from dbt.adapters.ivm_spark.plan.query_change import columns_of
from dbt.adapters.ivm_spark.plan.reading import lay_out
from dbt.adapters.ivm_spark.plan.refusals import own_statements
from dbt.adapters.ivm_spark.plan.request import Request
from dbt.adapters.ivm_spark.source.reader import Query
from dbt.adapters.ivm_spark.source.version_range import version_range
from dbt.adapters.ivm_spark.sql.build import View
from dbt.adapters.ivm_spark.sql.fingerprint import same_settings
from dbt.adapters.ivm_spark.sql.scans import relations_read
from dbt.adapters.ivm_spark.state.difference import stored_types
from dbt.adapters.ivm_spark.state.kept import check_fits, kept_state
from dbt.adapters.ivm_spark.state.layout import Layout, probe
from dbt.adapters.ivm_spark.state.visible import typed_top
from dbt.adapters.ivm_spark.watermark.watermark import StateHistory, Watermark

MOST_CHANGED = 0.01
"""The largest fraction of a source that may have changed since. The refresh after the rebuild is
incremental then."""
LONG = 60.0
"""Seconds of the former query's rebuild from which on such a refresh costs less than it saves."""
_MOST = 8
"""Parts of a query that are compared with the former one; Spark is asked for the types of each."""


@dataclass(frozen=True)
class Former:
    """The query whose rows a state has.

    Attributes:
        root: its tree.
        above: how many of its operators are above the stored part, None if the tree tells.
        types: Spark types of the columns of its probe.
        state: quoted name of the state.
        appends: the state was built to be appended to.
    """

    root: Node
    above: int | None
    types: dict[str, str]
    state: str
    appends: bool


def with_reused(
    query: Query, request: Request, history: StateHistory, found: Findings, decision: Decision
) -> Findings:
    """Return the findings for a rebuild that reads the state in place of a part of the query.

    The sources have their heads at the versions of the state then. The findings are the same if the
    query has no such part, or if it would not pay.
    """
    before, layout, view = found.watermark, found.layout, found.reading.view
    if before is None or layout is None or view is None or found.version is None:
        return found
    if not _may_reuse(request, history, found, before, decision):
        return found
    old = read_recorded(before.query.tree)
    if old is None or columns_of(old, view.sources) != before.query.columns:
        return found
    heads = heads_at(query, found, before.sources)
    moved = {n for n, m in before.sources.items() if found.heads[n].version != m.version}
    if heads is None or (moved and not _follows(request, history, found, before)):
        return found
    former = Former(old, before.query.above, before.types, request.state, before.appends)
    try:
        with own_statements():
            place = reusing(layout, view, former, Described(query, view.sources).types)
    except NotMaintained:
        place = None
    if place is None:
        return found
    part, smaller = place
    read = relations_read(smaller.input) - {request.state}
    known = read & before.sources.keys()
    stored = history.cost_model.state_rows
    if known & moved or stored >= sum(before.sources[name].rows for name in relations_read(part)):
        return found  # nothing is read at a former version, which may be gone
    return replace(
        found, heads=heads, cost_model=history.cost_model, reused=Reused(smaller, bool(moved))
    )


def _may_reuse(
    request: Request,
    history: StateHistory,
    found: Findings,
    before: Watermark,
    decision: Decision,
) -> bool:
    """Return whether the state certainly has the rows of the former query, and may be read."""
    reason, config = decision.reason, request.config
    if reason is None or reason.code is not ReasonCode.QUERY_FINGERPRINT_CHANGED:
        return False
    if request.full_refresh or request.own_query or request.limited or request.in_parts:
        return False
    if not request.reads_state:
        return False
    if config.on_query_change is not OnQueryChange.KEEP or history.modified:
        return False
    if config.refresh_policy is RefreshPolicy.FULL or before.unsupported_reason is not None:
        return False
    timed = found.clock.values or before.clock
    if (
        timed
        or before.frozen
        or found.frozen is not None
        or before.in_order != (found.facts.in_order)
    ):
        return False
    gone = before.sources.keys() - found.heads.keys()
    return not gone and same_settings(before.fingerprint, found.reading.fingerprint)


def _follows(request: Request, history: StateHistory, found: Findings, before: Watermark) -> bool:
    """Return whether a refresh with the changes since is incremental, and pays.

    It merges into rows that were all written a moment before.
    """
    if history.cost_model.full_seconds < LONG:
        return False
    for name, mark in before.sources.items():
        changed = version_range(name, mark.version, found.heads[name], None)
        if changed.broken is not None or changed.rows > MOST_CHANGED * mark.rows:
            return False
    # `auto` would rebuild a small view once to time it.
    rows = sum(mark.rows for mark in before.sources.values())
    auto = request.config.refresh_policy is RefreshPolicy.AUTO
    return not (auto and rows <= SMALL_ROWS and not history.cost_model.timed)


def reusing(
    layout: Layout, view: View, former: Former, types_of: Callable[[Node], dict[str, str]]
) -> tuple[Node, Layout] | None:
    """Return the part of a query that is the former one, and the layout with its stored rows there.

    None if there is no such part.

    Args:
        layout: of the new query's state.
        view: the new query.
        former: the query whose rows the present state has.
        types_of: Spark's types of the columns of a tree.
    """
    before = replace(view, root=former.root, above=former.above)
    for part in [*_parts(layout.input, relations_read(former.root))][:_MOST]:
        try:
            with not_too_deep():
                rows = _stored(part, view, before, former, types_of)
        except (OtherQuery, NotMaintained):
            continue
        return part, replace(layout, input=substitute(layout.input, part, rows))
    return None


def _stored(
    part: Node,
    view: View,
    before: View,
    former: Former,
    types_of: Callable[[Node], dict[str, str]],
) -> Node:
    """Return the rows of a part of a query, as the state of the former query has them.

    Raises OtherQuery or NotMaintained if the state does not have them.
    """
    types = types_of(probe(part))
    state = kept_state(former.root, former.above, former.types, part, types)
    if state.edited:
        raise OtherQuery("other rows")
    same = replace(view, root=state.root, above=state.above)
    was = lay_out(before, former.types, former.state, former.appends, checked=True)
    now = lay_out(same, state.types, former.state, former.appends, checked=True)
    check_fits(was, now)
    if any(
        "float" in kind or "double" in kind for kind in stored_types(now, state.types, ()).values()
    ):
        # A zero may have the other sign there, which the rest of the query may tell.
        raise OtherQuery("floats")
    outputs = types_of(part)
    top = typed_top(now, state.types, [outputs[name] for name in part.columns])
    return Project(top, passed(part.columns))


def _parts(node: Node, wanted: frozenset[str]) -> Iterator[Node]:
    """Yield the parts of a tree that read just these relations, the largest first."""
    level = [node]
    while level:
        yield from (part for part in level if relations_read(part) == wanted)
        level = [below for part in level for below in children(part)]
