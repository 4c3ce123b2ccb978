"""Floors: statements of which a refresh can't do without one, measured alone."""

from __future__ import annotations

from benchmarks.cost import Run
from benchmarks.lab import SCHEMA, Lab
from benchmarks.models import Model, columns_of, node
from benchmarks.rivals.by_dbt import AUTO, TABLE
from benchmarks.rivals.rival import Rival, Windows, feed


class ChangeFeed(Rival):
    """Reads the changed rows of the model's sources, the columns that it needs."""

    name = "change_feed"
    floor = True

    def refresh(self, lab: Lab, model: Model, windows: Windows) -> Run:
        sql = "\n".join(m.sql for m in model.chain)
        needed = {t: columns_of(sql, lab.columns(t)) for t in model.sources}
        return lab.measure(
            f"select {', '.join([*needed[table], '_change_type'])} from {feed(table, *window)}"
            for table, window in windows.items()
            if table in needed and window[0] < window[1]
        )


class InsertedRows(Rival):
    """Inserts into a plain table the rows that the newest refresh of `auto` wrote to its state."""

    name = "insert_rows"
    floor = True
    _WRITES = ("MERGE", "WRITE")

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def refresh(self, lab: Lab, model: Model, windows: Windows) -> Run | None:
        state = lab.stored(node(model.name, AUTO.name))
        if state is None:
            return None
        newest = lab.history(state, 1)[0]
        version = newest["version"]
        if newest["operation"] not in self._WRITES or self._seen.get(state) == version:
            return None
        self._seen[state] = version
        target = node(model.name, self.name)
        columns = ", ".join(f"`{column}`" for column in lab.columns(state))
        lab.send(
            [
                f"create table if not exists {SCHEMA}.{target} using delta as "
                f"select * from {SCHEMA}.{state} where false",
                f"cache table floor_rows as select {columns} "
                f"from {feed(state, version - 1, version)} "
                "where _change_type in ('insert', 'update_postimage')",
            ]
        )
        run = lab.measure(
            [f"insert into {SCHEMA}.{target} select * from floor_rows"], writes=target
        )
        lab.send(["drop view floor_rows"])
        return run


class EmptyMerge(Rival):
    """A MERGE of no rows into the table that the rebuild made: what the statement alone takes."""

    name = "empty_merge"
    floor = True

    def refresh(self, lab: Lab, model: Model, windows: Windows) -> Run | None:
        table = node(model.name, TABLE.name)
        if not lab.exists(table):
            return None
        column = f"`{lab.columns(table)[0]}`"
        return lab.measure(
            [
                f"merge into {SCHEMA}.{table} t "
                f"using (select * from {SCHEMA}.{table} where false) s on t.{column} = s.{column} "
                "when matched then delete when not matched then insert *"
            ],
            writes=table,
        )
