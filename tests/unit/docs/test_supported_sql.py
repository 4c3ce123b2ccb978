"""The page of supported SQL is what the code says; `make docs` writes it."""

from __future__ import annotations

import re
from types import ModuleType

import pytest

from tests.unit.docs.generators import generator_of


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    return generator_of("supported_sql")


def test_the_page_is_what_the_code_says(generator: ModuleType) -> None:
    assert generator.PAGE.read_text() == generator.page(), "run `make docs` and read the diff"


def test_the_page_names_techniques_and_reasons_only(generator: ModuleType) -> None:
    rows = [line for line in generator.page().splitlines() if line.count(" | ") >= 2]
    said = [row.split(" | ")[1] for row in rows[1:] if not row.startswith("| construct")]
    known = r"`(row_based|group_aggregate|affected_groups|affected_partitions)`|`full`: `[A-Z_]+`, "
    assert len(said) > 60
    assert [s for s in said if not re.match(known, s)] == []
