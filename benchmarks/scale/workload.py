"""What a refresh counts, from the sizes of its sources and its state. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass

from benchmarks.scale.costs import Counts

BYTES_A_SHUFFLED_ROW = 24


@dataclass(frozen=True)
class Workload:
    """A join aggregate: facts, a partner of theirs, and a state of groups.

    Args:
        facts, partner, groups: rows.
        changed: of the facts, between two refreshes.
        near: whether what changed are neighbours by the keys that files are clustered by; if not,
            they lie scattered.
        rows_a_file: of every table.
        jobs: of a refresh.
    """

    facts: float
    partner: float
    groups: float
    changed: float
    near: bool
    rows_a_file: float = 10e6
    jobs: float = 25

    def parts(self) -> dict[str, float]:
        """Rows read of the change feed, of the partner and of the state, and rows written: a
        refresh reads the feed once, of the partner and the state the files that a changed key may
        be in, and writes, with deletion vectors, the groups that changed."""
        rows = self.changed * self.facts
        keys, groups = min(rows, self.partner), min(rows, self.groups)
        return {
            "feed": 2 * rows,  # an update is two rows
            "partner": self._touched(keys, self.partner),
            "state": self._touched(groups, self.groups),
            "written": groups,
        }

    def counts(self) -> Counts:
        parts = self.parts()
        return {
            "refreshes": 1,
            "jobs": self.jobs,
            "rows_read": parts["feed"] + parts["partner"] + parts["state"],
            "rows_written": parts["written"],
            "bytes_shuffled": BYTES_A_SHUFFLED_ROW * parts["feed"],
        }

    def rebuild(self) -> Counts:
        """What the same view's rebuild counts: everything is read, joined and written."""
        return {
            "refreshes": 1,
            "jobs": self.jobs,
            "rows_read": self.facts + self.partner,
            "rows_written": self.groups,
            "bytes_shuffled": BYTES_A_SHUFFLED_ROW * (self.facts + self.partner),
        }

    def _touched(self, rows: float, table: float) -> float:
        """The rows of the files that hold so many of a table's rows."""
        file = min(self.rows_a_file, table)
        if self.near:
            return min(table, rows + 2 * file)
        # Of a file none of `file` rows is hit with the probability (1 - rows/table)^file.
        missed = 0.0 if rows >= table else math.exp(file * math.log1p(-rows / table))
        return table * (1 - missed)
