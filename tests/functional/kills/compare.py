"""Each view against its query on the sources as they are, in a process of its own."""

from __future__ import annotations

import sys
from pathlib import Path

import yaml

from tests.functional.kills.process import rows, session_of, shown
from tests.functional.kills.shop import VIEWS


def main() -> None:
    output = yaml.safe_load(Path("profiles.yml").read_text())["shop"]["outputs"]["dev"]
    spark = session_of(output)
    for view in VIEWS:
        compiled = Path("target", "compiled", "shop", "models", f"{view}.sql").read_text()
        assert shown(spark, view) == rows(spark, compiled), view
    sys.stdout.write("all equal\n")
