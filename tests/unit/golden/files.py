"""Golden files: SQL in sections, of which the test writes all but what is given.

After a wanted change: `pytest tests/unit/golden --update-golden`, and read the diff.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from dbt.adapters.ivm_spark.algebra.tree import Node
from dbt.adapters.ivm_spark.delta.type_checks import aggregates_to_order
from dbt.adapters.ivm_spark.plan.examined import in_order
from dbt.adapters.ivm_spark.plan.reading import lay_out
from dbt.adapters.ivm_spark.sql.build import View
from dbt.adapters.ivm_spark.state.layout import Layout, below_state, probe
from tests.unit.golden.shop import TYPES

GIVEN = ("view", "types", "moved", "pass")
"""The sections that a person writes: a view's SQL, types of its columns, the sources that moved,
and the name of a pass."""


def cases(family: str) -> list[Path]:
    """The files of a family, at least ten or one for each pass."""
    return sorted((Path(__file__).parent / family).glob("*.sql"))


def check(path: Path, update: bool, write: Callable[[dict[str, str]], dict[str, str]]) -> None:
    """Compare a file with what `write` makes of its given sections, or write it anew."""
    every = sections(path.read_text())
    given = {name: text for name, text in every.items() if name in GIVEN}
    written = write(given)
    if update:
        parts = (f"-- {name}\n{text}" for name, text in {**given, **written}.items())
        path.write_text("\n\n".join(parts) + "\n")
        return
    for name, text in written.items():
        assert every.get(name) == text, f"{path.name}: {name}"
    assert set(every) - set(given) == set(written)


def sections(text: str) -> dict[str, str]:
    """The parts of a golden file by their names."""
    parts = re.split(r"^-- (.+)$", text, flags=re.MULTILINE)
    return {name.strip(): body.strip() for name, body in zip(parts[1::2], parts[2::2], strict=True)}


def laid_out(view: View, given: dict[str, str], state: str) -> Layout:
    """The layout of a view, its columns of the types that the file or the shop says."""
    known = {**TYPES, **_types(given.get("types", ""))}

    def types_of(node: Node) -> dict[str, str]:
        return {c: known.get(c) or known.get(_base(c)) or "bigint" for c in node.columns}

    view = in_order(view, aggregates_to_order(below_state(view.root), types_of))
    columns = probe(view.root).columns
    return lay_out(view, {c: known.get(c) or known[_base(c)] for c in columns}, state)


def _base(name: str) -> str:
    """A name without the number that makes it unique in its tree."""
    return re.sub(r"_\d+$", "", name)


def _types(text: str) -> dict[str, str]:
    pairs = (tuple(line.lstrip("- ").split(" ", 1)) for line in text.splitlines() if line.strip())
    return dict(pairs)  # type: ignore[arg-type]
