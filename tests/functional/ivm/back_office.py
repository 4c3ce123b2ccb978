"""The back office of integration_project/back_office: its files, its tables, and three rounds of
changes to them."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parents[3] / "integration_project" / "back_office"
SEEDS = sorted((FOLDER / "seeds").glob("*.csv"))
ROUNDS = tuple(
    tuple(filter(str.strip, path.read_text().split(";\n")))
    for path in sorted((FOLDER / "rounds").glob("*.sql"))
)
"""The statements of each round of changes."""


def files(folder: str) -> dict[str, Any]:
    """The files of a folder of the project, as dbt's fixtures want them."""
    return {
        path.name: files(f"{folder}/{path.name}") if path.is_dir() else path.read_text()
        for path in sorted((FOLDER / folder).iterdir())
    }


def project() -> dict[str, Any]:
    """What dbt_project.yml says, but for the profile."""
    said: dict[str, Any] = yaml.safe_load((FOLDER / "dbt_project.yml").read_text())
    del said["profile"]
    return said


def tables() -> list[str]:
    """Statements that make the tables of the seeds, with the types that `dbt seed` gives them, and
    sooner."""
    return [_table(path) for path in SEEDS]


def _table(path: Path) -> str:
    with path.open(newline="") as lines:
        header, *rows = csv.reader(lines)
    types = [_type([row[place] for row in rows]) for place in range(len(header))]
    columns = ", ".join(
        f"cast(nullif({name}, '') as {kind}) as {name}"
        for name, kind in zip(header, types, strict=True)
    )
    values = ", ".join("({})".format(", ".join(map(_literal, row))) for row in rows)
    return (
        f"create table {path.stem} using delta"
        " tblproperties (delta.enableChangeDataFeed = true)"
        f" as select {columns} from values {values} as rows({', '.join(header)})"
    )


def _literal(value: str) -> str:
    assert "'" not in value, value
    return f"'{value}'"


def _type(values: list[str]) -> str:
    given = [value for value in values if value]
    for kind, shape in _SHAPES:
        if all(shape.fullmatch(value) for value in given):
            return kind
    return "string"


_DAY = r"\d{4}-\d\d-\d\d"
_SHAPES = tuple(
    (kind, re.compile(shape))
    for kind, shape in {
        "bigint": r"\d+",
        "double": r"\d+(\.\d+)?",
        "date": _DAY,
        "timestamp": _DAY + r" \d\d:\d\d:\d\d",
        "boolean": "true|false",
    }.items()
)
