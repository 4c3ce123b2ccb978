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
        rows |= row_counts(query, {n: h for n, h in heads.items() if gained.get(n) is None})
    reader = SourceReader(query)
    return {
        name: SourceWatermark(
            same[name].table_id
            if name in same and not head.replaced(same[name].version)
            else reader.table_id(name),
            head.version,
            rows.get(name, 0),
            head.committed(head.version) or "",
        )
        for name, head in heads.items()
    }


def row_counts(query: Query, heads: Mapping[str, Head]) -> dict[str, int]:
    """Return the rows of tables, which Delta answers from its log if it can."""
    if not heads:
        return {}
    counts = ", ".join(
        f"(select count(*) from {name} version as of {head.version}) as c{i}"
        for i, (name, head) in enumerate(heads.items())
    )
    row = list(query(f"select {counts}")[0].values())
    return {name: int(count) for name, count in zip(heads, row, strict=True)}
