"""The rooms of the package are those that CONTRIBUTING.md lists, and know only the ones above."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.unit.docs.blocks import ROOT

PACKAGE = ROOT / "dbt" / "adapters" / "ivm_spark"
PREFIX = "dbt.adapters.ivm_spark."
PURE = ("algebra", "sql", "analysis", "delta", "physical", "state")


def rooms() -> list[str]:
    """Of the table in CONTRIBUTING.md, from top to bottom."""
    return re.findall(r"^\| `(\w+)/` \|", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE)


def imports(room: str) -> Iterator[tuple[str, str]]:
    """(file, module) of what a room's modules import."""
    for file in (PACKAGE / room).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom):
                yield str(file.relative_to(PACKAGE)), node.module or ""
            elif isinstance(node, ast.Import):
                yield from ((str(file.relative_to(PACKAGE)), name.name) for name in node.names)


def test_the_rooms_are_those_of_the_package() -> None:
    folders = {file.parent.name for file in PACKAGE.glob("*/__init__.py")}
    assert sorted(rooms()) == sorted(folders)


def test_a_room_knows_only_those_above_it() -> None:
    order = rooms()
    upwards = [
        (file, module)
        for place, room in enumerate(order)
        for file, module in imports(room)
        if module.startswith(PREFIX)
        and module.removeprefix(PREFIX).split(".")[0] not in order[: place + 1]
        and module != PREFIX + "__version__"
    ]
    assert not upwards


def test_pure_rooms_know_neither_spark_nor_dbt() -> None:
    impure = [
        (file, module)
        for room in PURE
        for file, module in imports(room)
        if module.split(".")[0] in {"pyspark", "dbt", "dbt_common", "agate", "time"}
        and not module.startswith(PREFIX)
    ]
    assert not impure
