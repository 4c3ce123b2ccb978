"""Views on ten million rows: build them, change the tables, refresh, and rebuild to compare.

Everything happens in this folder. The Spark, tables and logs of an earlier demo are removed first.
Exits with 1 if a step fails or a view differs from its query.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from dbt.cli.main import dbtRunner
from dbt_common.events.base_types import EventMsg
from pyspark import SparkContext

from dbt.adapters.ivm_spark.commands.console import stop

PROJECT = Path(__file__).resolve().parent
RESULTS = PROJECT / "target" / "run_results.json"
LEFT = ("spark-warehouse", "metastore_db", "target", "logs")
"""What an earlier demo left here."""
STANDS = Path.cwd()
LINE = "{:<20} {:<12} {:>22} {:>9} {:>9} {:>7} {:>12} {:>12}"


class RowsRead:
    """The rows that Spark reads while a model is built.

    dbt says when a model starts and when it is done. There is one thread, so what Spark does in
    between belongs to the model.
    """

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}
        self._newest = -1

    def __call__(self, event: EventMsg) -> None:
        if event.info.name == "NodeStart":
            self._newest = max((number for number, _ in stages()), default=-1)
        elif event.info.name == "NodeFinished":
            read = sum(rows for number, rows in stages() if number > self._newest)
            self.rows[event.data.node_info.unique_id.split(".")[-1]] = read


def stages() -> list[tuple[int, int]]:
    """(number, rows read) of the stages that Spark still knows, none before it has started."""
    context = SparkContext._active_spark_context
    if context is None or context._jsc is None or context._gateway is None:
        return []
    scala: Any = context._jsc.sc()
    scala.listenerBus().waitUntilEmpty()
    jvm: Any = context._jvm
    doubles = context._gateway.new_array(jvm.double, 0)
    statuses = jvm.java.util.ArrayList()
    found = scala.statusStore().stageList(statuses, False, False, doubles, statuses)
    newest = [found.apply(place) for place in range(min(found.size(), 200))]
    return [(stage.stageId(), stage.inputRecords()) for stage in newest]


def main() -> int:
    """Run the demo and return the exit code."""
    started = time.monotonic()
    os.chdir(PROJECT)
    os.environ |= {
        "DBT_PROJECT_DIR": str(PROJECT),
        "DBT_PROFILES_DIR": str(PROJECT),
        "DBT_USE_COLORS": str(sys.stdout.isatty()),
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
    }
    with step("Remove what an earlier demo has left"):
        stop.main([str(PROJECT / "spark-warehouse"), "--force"], standalone_mode=False)
        for name in LEFT:
            shutil.rmtree(PROJECT / name, ignore_errors=True)
    read = RowsRead()
    runner = dbtRunner(callbacks=[read])
    with step("Start Spark, and let it make ten million order lines"):
        dbt(runner, "run-operation", "create_lake")
    with step("Build five views for the first time"):
        dbt(runner, "run")
    for day in ("A day of changes to the tables", "Another day"):
        with step(f"{day}, and a refresh of the views"):
            dbt(runner, "run-operation", "trade")
            dbt(runner, "run")
    refreshed, rows_refreshed = results(), dict(read.rows)
    with step("Test that each view equals its query"):
        dbt(runner, "test")
    with step("Rebuild the views, to compare"):
        dbt(runner, "run", "--full-refresh")
    rebuilt, rows_rebuilt = results(), dict(read.rows)

    head = ("view", "kind", "rows changed", "refresh", "rebuild", "times", "rows read", "rebuild")
    click.echo(f"\n{LINE.format(*head)}")
    for model, refresh in refreshed.items():
        click.echo(line(model, refresh, rebuilt[model], rows_refreshed[model], rows_rebuilt[model]))
    totals = (sum(r["execution_time"] for r in some.values()) for some in (refreshed, rebuilt))
    refresh_seconds, rebuild_seconds = totals
    click.echo(
        f"\nThe refresh took {refresh_seconds:.1f} s and the rebuild {rebuild_seconds:.1f} s. Each "
        f"view equals its query. The demo took {time.monotonic() - started:.0f} s."
    )
    folder, command = os.path.relpath(PROJECT, STANDS), executable()
    click.echo(
        "\nTry next: another day, a refresh, and what the next refresh of a view would do. Spark "
        "stays for half an hour.\n\n"
        f"  cd {folder}\n"
        f"  {command} run-operation trade\n"
        f"  {command} run\n"
        f"  {command} run-operation ivm_explain --args '{{model: revenue_by_day}}'\n"
    )
    return 0


@contextmanager
def step(title: str) -> Any:
    """Say what is done, and how long it took."""
    click.echo(f"\n== {title}")
    begun = time.monotonic()
    yield
    click.echo(f"   {time.monotonic() - begun:.1f} s")


def dbt(runner: dbtRunner, *arguments: str) -> None:
    """Run a dbt command; one that fails ends the demo."""
    click.echo(f"$ dbt {' '.join(arguments)}")
    result = runner.invoke([*arguments, "--log-format", "text"])
    if not result.success:
        if result.exception:
            click.echo(result.exception)
        raise SystemExit(f"dbt {' '.join(arguments)} failed.")


def results() -> dict[str, dict[str, Any]]:
    """What run_results.json says of each model."""
    said = json.loads(RESULTS.read_text(encoding="utf-8"))["results"]
    return {result["unique_id"].split(".")[-1]: result for result in said}


def line(
    model: str, refresh: dict[str, Any], rebuild: dict[str, Any], rows: int, all_rows: int
) -> str:
    """One line of the table: what a refresh cost, and a rebuild of the same view."""
    response = refresh["adapter_response"]
    changed = "+{rows_inserted:,} ~{rows_updated:,} -{rows_deleted:,}".format(**response)
    seconds, whole = refresh["execution_time"], rebuild["execution_time"]
    return LINE.format(
        model,
        response["refresh_kind"],
        changed,
        f"{seconds:.1f} s",
        f"{whole:.1f} s",
        f"{whole / seconds:.1f}",
        f"{rows:,}",
        f"{all_rows:,}",
    )


def executable() -> str:
    """The dbt of this Python, as one calls it from the demo's folder."""
    beside = Path(sys.executable).parent / "dbt"
    return os.path.relpath(beside, PROJECT) if beside.is_file() else "dbt"


if __name__ == "__main__":
    sys.exit(main())
