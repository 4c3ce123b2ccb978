"""The hand-written best MERGE: plain SQL statements, sent to Spark without dbt."""

from __future__ import annotations

from benchmarks.cost import Run
from benchmarks.lab import SCHEMA, Lab
from benchmarks.models import Model, node
from benchmarks.rivals.best_sql import BEST
from benchmarks.rivals.rival import Rival, Windows, feed

MANY_ROWS = 1_000_000
"""Rows from which a MERGE is faster with deletion vectors; below, writing the file anew is."""


class Best(Rival):
    """Knows for nothing at which versions it read its sources the last time; looks up where they
    are now, as every job has to."""

    name = "best"

    def fits(self, model: Model) -> bool:
        return model.name in BEST

    def build(self, lab: Lab, model: Model) -> None:
        target = self._target(model)
        lab.send([f"create table {target} using delta as {BEST[model.name].query(SCHEMA)}"])
        rows = lab.rows(f"select count(*) as n from {target}")[0]["n"]
        vectors = str(rows >= MANY_ROWS).lower()
        lab.send(
            [
                f"alter table {target} set tblproperties "
                f"('delta.enableDeletionVectors' = '{vectors}')"
            ]
        )

    def refresh(self, lab: Lab, model: Model, windows: Windows) -> Run:
        best, target = BEST[model.name], self._target(model)
        feeds = {table: feed(table, *windows[table]) for table in best.reads}
        look = [f"describe history {SCHEMA}.{table} limit 1" for table in best.reads]
        now = {t: f"{SCHEMA}.{t} version as of {windows[t][1]}" for t in best.reads}
        statements = [*look, *best.refresh(target, feeds, now)]
        return lab.measure(statements, writes=node(model.name, self.name))

    def shown(self, model: Model) -> str:
        return self._target(model)

    def _target(self, model: Model) -> str:
        return f"{SCHEMA}.{node(model.name, self.name)}"
