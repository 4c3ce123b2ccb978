"""What a refresh records of each source."""

from __future__ import annotations

from collections.abc import Mapping

from dbt.adapters.ivm_spark.refresh.decide import Decision
from dbt.adapters.ivm_spark.refresh.watermark import SourceMark, Watermark
from dbt.adapters.ivm_spark.source.commit import Effect
from dbt.adapters.ivm_spark.source.reader import Query, SourceReader
from dbt.adapters.ivm_spark.source.window import Head, Window


def source_marks(
    query: Query,
    decision: Decision,
    heads: Mapping[str, Head],
    mark: Watermark | None,
    count: bool = True,
) -> dict[str, SourceMark]:
    """The marks of the sources at the versions of their heads.

    A rebuild asks for each table's id and counts its rows, which Delta answers from its log where
    it can; without `count`, and where it is no rebuild, they follow from the recorded ones and what
    the windows inserted.
    """
    if not decision.build and not decision.windows and mark is not None:
        return mark.sources
    reader = SourceReader(query)
    if decision.build or mark is None:
        counts = _row_counts(query, heads) if count else _recorded_rows(heads, mark)
        return {
            name: SourceMark(
                reader.table_id(name),
                head.version,
                counts[name],
                head.committed(head.version) or "",
            )
            for name, head in heads.items()
        }
    return {
        name: SourceMark(
            _id(reader, name, head, mark.sources[name]),
            head.version,
            mark.sources[name].rows + _gained(decision.windows[name]),
            head.committed(head.version) or "",
        )
        for name, head in heads.items()
    }


def _id(reader: SourceReader, name: str, head: Head, mark: SourceMark) -> str:
    """The id of a table that goes on; CREATE OR REPLACE in its window gave it a new one."""
    replaced = any(c.replaces for c in head.commits if c.version > mark.version)
    return reader.table_id(name) if replaced else mark.table_id


def _row_counts(query: Query, heads: Mapping[str, Head]) -> dict[str, int]:
    if not heads:
        return {}
    counts = ", ".join(
        f"(select count(*) from {name} version as of {head.version}) as c{i}"
        for i, (name, head) in enumerate(heads.items())
    )
    row = list(query(f"select {counts}")[0].values())
    return {name: int(count) for name, count in zip(heads, row, strict=True)}


def _recorded_rows(heads: Mapping[str, Head], mark: Watermark | None) -> dict[str, int]:
    known = mark.sources if mark is not None else {}
    return {name: known[name].rows if name in known else 0 for name in heads}


def _gained(window: Window) -> int:
    return window.rows if window.effect is Effect.INSERTS else 0
