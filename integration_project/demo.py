"""The shop's life in five steps: build its views, change its tables, refresh, refresh again, test.

Everything happens in `target/demo` of this project, which is emptied first. One process, so that
one Spark serves all steps. Exits with 1 if a step failed or a refresh was not what it should be.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click
from dbt.cli.main import dbtRunner
from dbt_common.events.base_types import EventMsg

from dbt.adapters.ivm_spark.session.activity import Activity, watch

PROJECT = Path(__file__).resolve().parent
SCRATCH = PROJECT / "target" / "demo"
RESULTS = SCRATCH / "dbt" / "run_results.json"

# The one model of the shop that is rebuilt in full, on purpose; every other one must not be.
REBUILT = {"product_ranking": "WINDOW_WITHOUT_PARTITION_BY"}

# Statements that never look at a row; Delta may need a Spark job to read its own log for them.
METADATA = {"describe", "reset", "set", "show"}


class Watches:
    """Watches Spark while a model is built. dbt tells when a model starts and when it is done;
    what Spark does in between belongs to the model, as long as there is one thread."""

    def __init__(self) -> None:
        self.activities: dict[str, Activity] = {}
        self._open = ExitStack()

    def __call__(self, event: EventMsg) -> None:
        if event.info.name == "NodeStart":
            watching = watch()
            self.activities[event.data.node_info.unique_id] = self._open.enter_context(watching)
        elif event.info.name == "NodeFinished":
            self._open.close()


def main() -> int:
    """Run the demo and return the exit code."""
    started = time.monotonic()
    shutil.rmtree(SCRATCH, ignore_errors=True)
    SCRATCH.mkdir(parents=True)
    # Spark puts its tables and its catalog into the working directory.
    os.chdir(SCRATCH)
    os.environ |= {
        "DBT_PROJECT_DIR": str(PROJECT),
        "DBT_PROFILES_DIR": str(PROJECT),
        "DBT_TARGET_PATH": str(SCRATCH / "dbt"),
        "DBT_LOG_PATH": str(SCRATCH / "logs"),
        "DBT_USE_COLORS": str(sys.stdout.isatty()),
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
    }
    watches = Watches()
    runner = dbtRunner(callbacks=[watches])

    title("1. Create the shop's tables and build every view for the first time")
    click.echo("Spark starts; on a new machine it fetches Delta first, which takes a minute.")
    dbt(runner, "run-operation", "create_shop")
    dbt(runner, "run")

    title("2. Change the tables (inserts, updates, deletes) and refresh the views")
    dbt(runner, "run-operation", "change_shop")
    dbt(runner, "run")
    refreshed = ivm_results(watches)
    report(refreshed)

    title("3. Refresh again, with nothing changed")
    dbt(runner, "run")
    unmoved = ivm_results(watches)
    report(unmoved)

    title("4. Test: every view equals its query on the changed tables")
    dbt(runner, "--warn-error", "test")
    tests = json.loads(RESULTS.read_text(encoding="utf-8"))["results"]
    proofs = [t for t in tests if ".equals_its_query_" in t["unique_id"]]

    problems = what_is_wrong(refreshed, unmoved, len(proofs))
    title("What this shows")
    for problem in problems:
        click.echo(f"WRONG: {problem}")
    if not problems:
        click.echo(conclusion(refreshed, unmoved, len(proofs)))
    click.echo(f"Took {time.monotonic() - started:.0f} s. All of it is in {SCRATCH}.")
    return 1 if problems else 0


def dbt(runner: dbtRunner, *arguments: str) -> None:
    """Run a dbt command; one that fails ends the demo."""
    # Of a run every line matters here, of the other commands only what goes wrong.
    quiet = [] if arguments == ("run",) else ["--log-level", "warn"]
    click.echo(f"$ dbt {' '.join(arguments)}")
    begun = time.monotonic()
    result = runner.invoke([*quiet, *arguments, "--threads", "1"])
    if not result.success:
        if result.exception:
            click.echo(result.exception)
        raise SystemExit(f"dbt {' '.join(arguments)} failed.")
    click.echo(f"  done in {time.monotonic() - begun:.1f} s\n")


def ivm_results(watches: Watches) -> list[dict[str, Any]]:
    """What run_results.json says of the ivm models, with what Spark was asked to do for each."""
    rows = []
    for result in json.loads(RESULTS.read_text(encoding="utf-8"))["results"]:
        response = result["adapter_response"]
        if "refresh_kind" in response:
            activity = watches.activities[result["unique_id"]]
            commands = [command(sql) for sql in activity.statements]
            rows.append(
                {
                    "model": result["unique_id"].split(".")[-1],
                    "took": result["execution_time"],
                    "statements": len(commands),
                    "merges": commands.count("merge"),
                    "beyond_metadata": sorted(set(commands) - METADATA),
                    "jobs": activity.jobs,
                    **response,
                }
            )
    return rows


def command(sql: str) -> str:
    """The first word of a statement, behind the comment that dbt puts before it."""
    return re.sub(r"\A\s*/\*.*?\*/", "", sql, flags=re.DOTALL).split(maxsplit=1)[0].lower()


def report(rows: list[dict[str, Any]]) -> None:
    """One line a model, and below the table the reasons of the full refreshes."""
    line = "{:<24} {:<12} {:<16} {:>5} {:>5} {:>5} {:>8} {:>11} {:>5}"
    head = ("model", "refresh", "technique", "+", "~", "-", "seconds", "statements", "jobs")
    click.echo(line.format(*head))
    for row in rows:
        counts = (row["rows_inserted"], row["rows_updated"], row["rows_deleted"])
        cost = (f"{row['took']:.1f}", row["statements"], row["jobs"])
        click.echo(line.format(row["model"], row["refresh_kind"], row["technique"], *counts, *cost))
    for row in rows:
        reason = row.get("reason")
        if reason:
            click.echo(
                f"\n{row['model']}: {reason['code']}. {reason['sentence']} {reason['remedy']}"
            )
    click.echo()


def what_is_wrong(
    refreshed: list[dict[str, Any]], unmoved: list[dict[str, Any]], proofs: int
) -> list[str]:
    """What is not as it should be, a sentence each."""
    problems = []
    for row in refreshed:
        kind, reason = row["refresh_kind"], row.get("reason", {}).get("code")
        expected = "full" if row["model"] in REBUILT else "incremental"
        if kind != expected or reason != REBUILT.get(row["model"]):
            problems.append(f"{row['model']} was refreshed {kind} ({reason}), not {expected}.")
        elif not row["rows_affected"]:
            problems.append(f"{row['model']} did not change, so its refresh shows nothing.")
        elif kind == "incremental" and row["merges"] != 1:
            problems.append(f"{row['model']} needed {row['merges']} MERGE statements.")
    for row in unmoved:
        if row["refresh_kind"] != "none":
            problems.append(f"{row['model']} was refreshed although nothing had changed.")
        elif row["beyond_metadata"]:
            problems.append(f"{row['model']} had nothing to do, but sent {row['beyond_metadata']}.")
    if proofs != len(refreshed):
        problems.append(f"{proofs} of {len(refreshed)} views were compared with their query.")
    return problems


def conclusion(refreshed: list[dict[str, Any]], unmoved: list[dict[str, Any]], proofs: int) -> str:
    """Why the second run was right, and the third one cheap."""
    incremental = [row for row in refreshed if row["refresh_kind"] == "incremental"]
    return (
        f"The second run was incremental: {len(incremental)} of {len(refreshed)} views were "
        "brought up to date by one commit each, and only with what had changed. It was right: "
        f"`dbt test` ran the queries of all {proofs} views on the changed tables and compared "
        "them with the views as bags (EXCEPT ALL, both ways), and not one row differed. "
        f"The third run found nothing to do: its {sum(row['statements'] for row in unmoved)} "
        f"statements asked for metadata only, in {sum(row['jobs'] for row in unmoved)} Spark jobs "
        "on Delta's log and none on data."
    )


def title(text: str) -> None:
    """A heading in the output."""
    click.echo(f"\n{text}\n{'=' * len(text)}")


if __name__ == "__main__":
    sys.exit(main())
