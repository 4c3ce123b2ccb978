"""The SQL of some views, and all SQL that maintains each: one of every kind of state."""

from __future__ import annotations

from pathlib import Path

import jinja2
import pytest

from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.physical.lower import Known, Statements, lower, lower_rebuild
from dbt.adapters.ivm_spark.source.binding import Versions
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.state.layout import Layout
from dbt.adapters.ivm_spark.state.target import Target
from dbt.adapters.ivm_spark.state.visible import visible_query
from dbt.include.ivm_spark import PACKAGE_PATH
from tests.unit.golden.files import cases, check, laid_out
from tests.unit.golden.shop import CATALOG, facts_of_all

CASES = cases("merges")
STATE = "`shop`.`v__ivm`"
FACTS = facts_of_all(0)


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_statements_equal_their_golden_file(path: Path, update_golden: bool) -> None:
    check(path, update_golden, _write)


def _write(given: dict[str, str]) -> dict[str, str]:
    view = build_view(given["view"], CATALOG)
    layout = laid_out(view, given, STATE)
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


def _change(layout: Layout, versions: Versions, source: str, insert_only: bool) -> tuple[str, str]:
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
    kept = [f"cache table {name} as\n{query};\n\n" for name, query in parts.materializations]
    return "".join(kept) + str(macro(STATE, parts)).strip()
