"""Golden pairs: the SQL of a view, and all SQL that maintains it, in files a SQL person can read.

After a wanted change: `pytest tests/unit/golden --update-golden`, and read the diff.
"""

from __future__ import annotations

import re
from pathlib import Path

import jinja2
import pytest

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained
from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.physical.lower import Known, Statements, lower, lower_rebuild
from dbt.adapters.ivm_spark.plan.reading import lay_out
from dbt.adapters.ivm_spark.source.binding import Versions
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.state.layout import probe
from dbt.adapters.ivm_spark.state.target import Target
from dbt.adapters.ivm_spark.state.visible import visible_query
from dbt.include.ivm_spark import PACKAGE_PATH
from tests.unit.golden.shop import CATALOG, TYPES, facts_of_all

CASES = sorted((Path(__file__).parent / "cases").glob("*.sql"))
STATE = "`shop`.`v__ivm`"
FACTS = facts_of_all(0)


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_golden(path: Path, update_golden: bool) -> None:
    given = sections(path.read_text())
    written = _write(given["view"], _types(given.get("types", "")))
    if update_golden:
        kept = {k: v for k, v in given.items() if k in ("view", "types")}
        path.write_text("\n\n".join(f"-- {k}\n{v}" for k, v in {**kept, **written}.items()) + "\n")
        return
    for name, text in written.items():
        assert given.get(name) == text, f"{path.name}: {name}"
    assert set(given) - {"view", "types"} == set(written)


def test_there_are_cases() -> None:
    assert len(CASES) >= 15


def _write(sql: str, types: dict[str, str]) -> dict[str, str]:
    try:
        view = build_view(sql, CATALOG)
        known = {**TYPES, **types}
        columns = probe(view.root).columns
        layout = lay_out(view, {c: known.get(c) or known[_base(c)] for c in columns}, STATE)
    except NotMaintained as error:
        return {"reason": str(error)}
    pinned = dict.fromkeys(view.sources, 9)
    versions = Versions(dict.fromkeys(view.sources, 8), pinned)
    texts = {
        "state": to_sql(render(lower_rebuild(layout, FACTS), versions.bind), pretty=True),
        "visible": to_sql(visible_query(layout, {}, None), pretty=True),
    }
    for source in sorted(view.sources):
        name = source.split(".")[-1].strip("`")
        for insert_only in (True, False):
            kind = "inserts" if insert_only else "changes"
            title, text = _change(layout, versions, source, insert_only)
            texts[f"{title} of {kind} in {name}"] = text
            if len(view.sources) > 1 and name != "orders":
                break
    return texts


def _change(layout, versions: Versions, source: str, insert_only: bool) -> tuple[str, str]:
    change = delta(layout.input, Context(frozenset({source})))
    parts = lower(layout, change, Target(STATE), insert_only, Known(), versions.bind)
    verb = "insert" if parts.is_insert else "merge"
    return verb, _template(verb, parts)


def _template(verb: str, parts: Statements) -> str:
    """The macro `ivm_<verb>`, rendered without dbt."""
    text = (Path(PACKAGE_PATH) / "macros" / "state" / f"{verb}.sql").read_text()
    environment = jinja2.Environment(extensions=["jinja2.ext.do"])
    environment.globals["adapter"] = type(
        "Adapter", (), {"quote": staticmethod(lambda n: f"`{n}`")}
    )
    environment.globals["ivm_quoted"] = lambda state: state
    macro = getattr(environment.from_string(text).module, f"ivm_spark__ivm_{verb}")
    kept = [f"cache table {name} as\n{query};\n\n" for name, query in parts.kept]
    return "".join(kept) + str(macro(STATE, parts)).strip()


def sections(text: str) -> dict[str, str]:
    """The parts of a golden file by their names."""
    parts = re.split(r"^-- (.+)$", text, flags=re.MULTILINE)
    return {name.strip(): body.strip() for name, body in zip(parts[1::2], parts[2::2], strict=True)}


def _base(name: str) -> str:
    """A name without the number that makes it unique in its tree."""
    return re.sub(r"_\d+$", "", name)


def _types(text: str) -> dict[str, str]:
    pairs = (tuple(line.lstrip("- ").split(" ", 1)) for line in text.splitlines() if line.strip())
    return dict(pairs)
