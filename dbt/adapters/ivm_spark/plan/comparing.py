"""Decides whether a rebuild compares new contents with old and writes only the difference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

from dbt_common.exceptions import DbtDatabaseError

from dbt.adapters.ivm_spark.__version__ import version
from dbt.adapters.ivm_spark.algebra.reasons import ReasonCode
from dbt.adapters.ivm_spark.plan.decide import SMALL_ROWS, Decision
from dbt.adapters.ivm_spark.plan.findings import Findings
from dbt.adapters.ivm_spark.plan.request import Request
from dbt.adapters.ivm_spark.source.reader import SourceReader
from dbt.adapters.ivm_spark.state.difference import are_comparable, stored_types
from dbt.adapters.ivm_spark.watermark.cost_model import CostModel
from dbt.adapters.ivm_spark.watermark.history import since_last_refresh
from dbt.adapters.ivm_spark.watermark.watermark import newest

EXTRA_SECONDS = 0.7
"""Seconds that the comparison and its MERGE add to a rebuild, however few the rows."""
EXTRA_FACTOR = 4.0
"""The multiple of a rebuild's time that they add on top. Both contents are computed, sorted by all
columns, and looked up in the state."""
HOPED = 0.7
"""The share of the readers' possible savings that counts."""
MUCH = 0.3
"""The fraction of differing rows above which the rebuild replaces the whole table."""
LONG = 3.0
"""Seconds of a rebuild from which on a comparison must pay, even if no row should differ."""
TRIED_AGAIN = 10
"""After so many refreshes, a rebuild compares again although many rows differed before."""
_OTHER_CONTENTS = frozenset(
    {
        ReasonCode.STATE_MODIFIED,
        ReasonCode.STATE_FORMAT_CHANGED,
        ReasonCode.STATE_MISSING,
        ReasonCode.QUERY_FINGERPRINT_CHANGED,
        ReasonCode.DATA_SCHEMA_CHANGED,
        ReasonCode.CONFIGURATION_CHANGED,
        ReasonCode.GENERATED_SQL_REJECTED,
    }
)


def keeps_table(request: Request, found: Findings, decision: Decision) -> bool:
    """Return whether the state's table fits its new contents as it is."""
    watermark, reason = found.watermark, decision.reason
    if not decision.build or decision.first or watermark is None or reason is None:
        return False
    if request.full_refresh or reason.code in _OTHER_CONTENTS:
        return False
    return found.known and watermark.package == version and not found.alteration.needed


def may_compare(request: Request, found: Findings, decision: Decision) -> bool:
    """Return whether a rebuild can compare, and has readers that could gain by it.

    It can if the state can be brought to its new contents row by row. Readers gain if they would be
    refreshed for rows that only look changed.
    """
    layout = found.layout
    if not (request.readers and keeps_table(request, found, decision)):
        return False
    if layout is not None and layout.appended:
        return False
    return are_comparable(stored_types(layout, found.facts.types, found.facts.outputs))


def is_hopeless(found: Findings, moved: bool) -> bool:
    """Return whether comparing can't pay, whatever the readers.

    For so few rows, a rebuild is faster than a MERGE.
    """
    watermark = found.watermark
    equal_before = (
        watermark is not None and watermark.stats.compared and not watermark.stats.differed
    )
    return moved and not equal_before and 0 < found.cost_model.state_rows <= SMALL_ROWS


def compares(found: Findings, moved: bool, readers: Iterable[CostModel]) -> bool:
    """Return whether comparing pays.

    Args:
        found: the findings for a rebuild that may compare.
        moved: a source has changed; otherwise the query itself may return other rows.
        readers: the cost models of the views that would be refreshed because of the rebuild.
    """
    known = [reader for reader in readers if reader.full_seconds]
    if not known or found.watermark is None:
        return False
    if moved and not found.cost_model.full_seconds:
        return False  # what it would cost is known only after a plain rebuild
    last = found.watermark.stats
    if last.compared and last.differed > MUCH and (found.watermark.refresh + 1) % TRIED_AGAIN:
        return False
    short = found.cost_model.full_seconds <= LONG
    if short and (not moved or (last.compared and not last.differed)):
        return True
    saved = sum(max(0.0, reader.full_seconds - reader.fixed) for reader in known)
    extra = EXTRA_SECONDS + EXTRA_FACTOR * found.cost_model.full_seconds
    return HOPED * saved > extra


def cost_models(reader: SourceReader, states: Sequence[str]) -> list[CostModel]:
    """Return the cost models of the views with these states, by quoted names.

    Views that are not built yet have none.
    """
    found = []
    for state in states:
        with suppress(DbtDatabaseError):
            found.append(newest(since_last_refresh(reader, state)).cost_model)
    return found
