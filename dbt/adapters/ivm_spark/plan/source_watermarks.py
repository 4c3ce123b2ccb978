"""The watermarks of the sources, which a refresh records."""

from __future__ import annotations

from collections.abc import Mapping

from dbt.adapters.ivm_spark.plan.decide import Decision
from dbt.adapters.ivm_spark.source.reader import Query, SourceReader
from dbt.adapters.ivm_spark.source.version_range import Head
from dbt.adapters.ivm_spark.watermark.history import is_another
from dbt.adapters.ivm_spark.watermark.watermark import SourceWatermark, Watermark


def source_watermarks(
    query: Query,
    decision: Decision,
    heads: Mapping[str, Head],
    watermark: Watermark | None,
    count: bool = True,
) -> dict[str, SourceWatermark]:
    """Return the watermarks of the sources at the versions of their heads.

    Delta is asked for a table's id if the table is another than the recorded one or was replaced.
    The rows of a table are the recorded ones plus those that its commits say it gained. If that is
    not certain, a rebuild counts them, unless `count` is False. Only estimates use these rows.
    """
    if not decision.build and not decision.ranges and watermark is not None:
        return watermark.sources
    known = {n: m for n, m in (watermark.sources if watermark else {}).items() if n in heads}
    same = {n: m for n, m in known.items() if not is_another(heads[n], m)}
    gained = {n: heads[n].gained(m.version) for n, m in same.items()}
    rows = {n: m.rows + (gained.get(n) or 0) for n, m in known.items()}
    if decision.build and count:
        rows |= _row_counts(query, {n: h for n, h in heads.items() if gained.get(n) is None})
    reader = SourceReader(query)
    return {
        name: _at_head(
            same[name].table_id
            if name in same and not head.replaced(same[name].version)
            else _id(reader, name, head),
            head,
            rows.get(name, 0),
        )
        for name, head in heads.items()
    }


def with_new_sources(
    query: Query,
    sources: Mapping[str, SourceWatermark],
    heads: Mapping[str, Head],
    count: bool,
) -> dict[str, SourceWatermark]:
    """Return the watermarks of the sources in `heads`; a source without one gets its head's.

    Args:
        query: sends a statement.
        sources: the watermarks that there are.
        heads: the heads of the sources.
        count: whether to count the rows of new sources.
    """
    new = {name: head for name, head in heads.items() if name not in sources}
    rows = _row_counts(query, new) if count else {}
    reader = SourceReader(query)
    return {
        name: sources[name]
        if name in sources
        else _at_head(_id(reader, name, head), head, rows.get(name, 0))
        for name, head in heads.items()
    }


def _id(reader: SourceReader, name: str, head: Head) -> str:
    return head.table_id if head.has_own_id else reader.table_id(name)


def _at_head(table_id: str, head: Head, rows: int) -> SourceWatermark:
    return SourceWatermark(table_id, head.version, rows, head.committed(head.version) or "")


def _row_counts(query: Query, heads: Mapping[str, Head]) -> dict[str, int]:
    """Return the rows of tables, which Delta answers from its log if it can."""
    if not heads:
        return {}
    counts = ", ".join(
        f"(select count(*) from {name}{_version(head)}) as c{i}"
        for i, (name, head) in enumerate(heads.items())
    )
    row = list(query(f"select {counts}")[0].values())
    return {name: int(count) for name, count in zip(heads, row, strict=True)}


def _version(head: Head) -> str:
    return "" if head.files else f" version as of {head.version}"
