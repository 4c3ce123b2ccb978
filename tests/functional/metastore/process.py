"""One of two dbt processes on one catalog: `python -m tests.functional.metastore.process <name>
<meeting> <rounds>` in a project's folder. Each changes what both read, and refreshes its own views.
"""

from __future__ import annotations

import sys
from pathlib import Path

import yaml

from dbt.adapters.ivm_spark.session.handle import SessionHandle
from tests.functional.kills.process import rows, shown
from tests.functional.kills.rival import dbt_run, meet, wait_for
from tests.functional.kills.shop import CREATE, SCHEMA, on_schema
from tests.functional.kills.state import State
from tests.functional.metastore.views import LATER, VIEWS


def main(name: str, meeting: Path, rounds: int) -> None:
    state = State(meeting / "notes")
    output = yaml.safe_load(Path("profiles.yml").read_text())["shop"]["outputs"]["dev"]
    if name != "first":
        wait_for(meeting / "created.first")  # else both would make the default database
    spark = SessionHandle(output["server_side_parameters"]).session
    if name == "first":
        for statement in CREATE:
            spark.sql(statement)
        spark.sql(f"insert into {SCHEMA}.facts values ('a', 1), ('a', 2), ('b', 3)")
        spark.sql(f"insert into {SCHEMA}.names values ('a', 'A'), ('b', 'B')")
    meet(meeting, name, "created")
    dbt_run("--exclude", LATER)  # at once with the other's
    meet(meeting, name, "built")
    for turn in range(rounds):
        mine = 2 * turn + (name == "first")
        spark.sql(f"insert into {SCHEMA}.facts values ('a', {mine}), ('{name}{turn}', 1)")
        if name == "first":
            spark.sql(f"update {SCHEMA}.names set name = concat(name, '{turn % 10}')")
        responses = dbt_run()
        state.note("kinds", {v: r["refresh_kind"] for v, r in responses.items()})
    meet(meeting, name, "changed")
    dbt_run("--exclude", LATER)
    meet(meeting, name, "last")
    dbt_run()
    for view, sql in VIEWS[name].items():
        now, wanted = shown(spark, view), rows(spark, on_schema(sql))
        state.note("compared", {"view": view, "rows": len(now), "equal": now == wanted})


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
