"""The command `dbt-ivm`: shows and stops the Sparks that stay (`keep_spark`)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import click

from dbt.adapters.ivm_spark.commands.spoken import duration
from dbt.adapters.ivm_spark.session.place import Note, Place

_NONE = "No Spark is kept. A profile with `keep_spark: 30m` keeps one between two runs of dbt."


@click.group()
def main() -> None:
    """Show and stop the Sparks that stay between two runs of dbt (`keep_spark`)."""


@main.command()
def status() -> None:
    """Say which Sparks run: since when, with what memory and for which warehouse."""
    running = list(_running())
    for place, note in running:
        click.echo(_told(place, note))
    if not running:
        click.echo(_NONE)


@main.command()
@click.argument("warehouse", required=False, type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Stop it although a dbt process uses it.")
def stop(warehouse: Path | None, force: bool) -> None:
    """Stop the Spark of WAREHOUSE, a folder; without it, every Spark that is kept."""
    running = [
        (place, note)
        for place, note in _running()
        if warehouse is None or Path(note.warehouse) == warehouse.resolve()
    ]
    if not running:
        click.echo(_NONE if warehouse is None else f"No Spark is kept for {warehouse}.")
    used = False
    for place, note in running:
        with place.without_clients() as idle:
            if idle or force:
                place.end(note)
                click.echo(f"Stopped the Spark of {note.warehouse}.")
                continue
        used = True
        click.echo(f"A dbt process uses the Spark of {note.warehouse}. Stop it with --force.")
    if used:
        raise SystemExit(1)


def _running() -> Iterator[tuple[Place, Note]]:
    for place in Place.all():
        note = place.note
        if note is not None:
            yield place, note


def _told(place: Place, note: Note) -> str:
    since = datetime.fromtimestamp(note.started).astimezone()
    with place.without_clients() as idle:
        used = f"unused, ends {duration(place.keep)} after its last use" if idle else "in use"
    return "\n".join(
        (
            note.warehouse,
            f"  Spark {note.versions.get('pyspark', '')}, {note.memory} of memory, {used}",
            f"  since {since:%Y-%m-%d %H:%M} ({duration(time.time() - note.started)}), "
            f"process {note.jvm}",
            f"  log: {place.log}",
        )
    )
