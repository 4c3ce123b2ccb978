"""The records for `ivm_refreshes`: the refreshes of a run, or those that states remember."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dbt_common.exceptions import DbtDatabaseError

from dbt.adapters.ivm_spark.commands.explain.record import (
    COLUMNS,
    Record,
    as_rows,
    of_commits,
    of_response,
)
from dbt.adapters.ivm_spark.source.reader import Query, SourceReader

_TRIMMED_EVERY = 50


@dataclass(frozen=True)
class Batch:
    """Records to write.

    Attributes:
        rows: the records as a JSON array, empty without any.
        count: number of records.
        trims: it is time to drop old records. Every fiftieth refresh of a model says so, so that
            nobody has to count rows or files.
    """

    rows: str
    count: int
    trims: bool

    @classmethod
    def of(cls, records: Sequence[Record]) -> Batch:
        """Return a batch of the records."""
        trims = any(record.refresh % _TRIMMED_EVERY == 0 for record in records)
        return cls(as_rows(records), len(records), trims)


class RefreshLog:
    """Collects records through one connection, for the macros that write them."""

    columns = COLUMNS

    def __init__(self, query: Query) -> None:
        self._query = query
        self._reader = SourceReader(query)

    def of_results(self, results: Iterable[Any]) -> Batch:
        """Return the refreshes of a run, by the `results` of on-run-end, without asking Spark."""
        found = []
        for result in results:
            node, response = result.node, result.adapter_response
            if response and "refresh_kind" in response:
                relation = f"{node.schema}.{node.alias}"
                found.append(of_response(node.unique_id, relation, response))
        return Batch.of([record for record in found if record is not None])

    def of_histories(self, states: Iterable[tuple[str, str, str]], keep: int) -> Batch:
        """Return the newest refreshes that states remember, by one DESCRIBE HISTORY each.

        states: model, relation and quoted name of the state.
        """
        found: list[Record] = []
        for model, relation, state in states:
            found += of_commits(model, relation, self._reader.recent(state, keep))
        return Batch.of(found)

    def attempt(self, statements: Sequence[str]) -> str:
        """Send statements that no run depends on; return why one failed, empty if none did."""
        try:
            for statement in statements:
                self._query(statement)
        except DbtDatabaseError as error:
            return str(error.msg)
        return ""
