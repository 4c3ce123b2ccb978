"""The pages of docs/operators/ show the SQL of the product: each block names its golden section."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dbt.adapters.ivm_spark.algebra.reasons import ReasonCode
from dbt.adapters.ivm_spark.delta.rules import RULES
from tests.unit.docs.blocks import ROOT, Block, blocks, prose
from tests.unit.docs.generators import generator_of
from tests.unit.docs.test_blocks import check_sql
from tests.unit.golden.files import sections

OPERATORS = ROOT / "docs" / "operators"
DELTAS = ROOT / "tests" / "unit" / "golden" / "deltas"
PAGES = sorted(OPERATORS.glob("*.md"))
BLOCKS = [block for page in PAGES for block in blocks(page)]

_REFUSED = re.compile(r"^\| `([^`]+)`[^|]*\| `([A-Z_]+)` \|$", re.MULTILINE)
"""A row of a table of views that are refreshed in full: the view and the reason's code."""
_MODULE = re.compile(r"`((?:delta|state|sql)/[\w/.]*)`")

REFUSED = [
    pytest.param(*row, id=f"{page.stem}-{place}")
    for page in PAGES
    for place, row in enumerate(_REFUSED.findall(prose(page)), 1)
]


def test_every_page_is_found() -> None:
    """Otherwise the tests below would pass on nothing."""
    assert len(PAGES) > 8
    assert len(REFUSED) > 15


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_a_block_is_the_golden_section_that_it_names(block: Block) -> None:
    stem, _, section = block.said["golden"].partition(" / ")
    assert block.code == sections((DELTAS / f"{stem}.sql").read_text())[section]


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_a_block_is_sql(block: Block) -> None:
    assert block.language == "sql"
    check_sql(block)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_shows_a_view_and_its_delta(page: Path) -> None:
    shown = {block.said["golden"] for block in BLOCKS if block.page == page}
    views = {name.partition(" / ")[0] for name in shown if name.endswith(" / view")}
    deltas = {name.partition(" / ")[0] for name in shown if " / delta of " in name}
    assert views
    assert views == deltas


@pytest.mark.parametrize(("view", "code"), REFUSED)
def test_a_view_listed_as_full_is_refreshed_in_full(view: str, code: str) -> None:
    said = generator_of("supported_sql").said_of(view)
    assert said.startswith(f"`full`: `{code}`"), said


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_reasons_that_a_page_names_exist(page: Path) -> None:
    named = set(re.findall(r"`([A-Z]{3,}(?:_[A-Z]+)+)`", prose(page)))
    assert named <= {code.value for code in ReasonCode}


def test_each_node_with_a_rule_is_named_on_a_page() -> None:
    named = set().union(*(re.findall(r"`(\w+)`", prose(page)) for page in PAGES))
    assert sorted({rule.node.__name__ for rule in RULES} - named) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_modules_that_a_page_names_exist(page: Path) -> None:
    package = ROOT / "dbt" / "adapters" / "ivm_spark"
    named = set(_MODULE.findall(page.read_text()))
    assert [path for path in named if not (package / path).exists()] == []


def test_the_index_lists_every_page() -> None:
    links = set(re.findall(r"\]\(([\w-]+\.md)\)", prose(OPERATORS / "index.md")))
    assert links == {page.name for page in PAGES} - {"index.md"}
