"""The page: what it tells, and that it needs nothing but itself."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from dbt.adapters.ivm_spark.commands.explain.record import Record
from dbt.adapters.ivm_spark.commands.report.figures import lineage, reasons, refreshes
from dbt.adapters.ivm_spark.commands.report.lineage import lineage_of
from dbt.adapters.ivm_spark.commands.report.page import page
from dbt.adapters.ivm_spark.commands.report.reported import Saved, reads
from dbt.adapters.ivm_spark.plan.plan import RefreshKind
from tests.unit.commands.doctor.models import NOW
from tests.unit.commands.report.history import MODELS, PLACES, REVENUE, TOP, record

VOID = {"meta", "br", "img", "link"}


class Structure(HTMLParser):
    """Tags opened and not closed, what is loaded from elsewhere, and the text of table cells."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loaded: list[str] = []
        self.ids: list[str] = []
        self.cells: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        self.loaded += [f"{tag} {given[k]}" for k in ("src", "href", "xlink:href") if given.get(k)]
        self.ids += [str(given["id"])] if "id" in given and "svg" not in self.open else []
        if tag == "td":
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "td" in self.open:
            self.cells[-1] += data


@pytest.fixture(scope="module")
def html() -> str:
    return page("shop", NOW, MODELS, lineage, refreshes, reasons)


def test_the_page_is_one_well_formed_file(html: str) -> None:
    found = Structure(html)
    assert found.open == []
    assert all(re.fullmatch(r"\w+ #\w+", what) for what in found.loaded), found.loaded
    assert not re.search(r"url\((?!#)|@import|<script|<link|<img", html)
    assert found.ids == [
        "lineage",
        "models",
        "findings",
        "refreshes",
        "estimates",
        "rebuilds",
    ]
    assert html.count("<svg") == 4, "the lineage, each model that has been refreshed, the reasons"


def test_figures_take_the_colours_of_the_page(html: str) -> None:
    assert "prefers-color-scheme: dark" in html
    assert "currentColor" in html
    assert "#010203" not in html
    figures = re.findall(r"<svg.*?</svg>", html, re.DOTALL)
    for figure in figures:
        ElementTree.fromstring(figure)
        assert not re.search(r"#000000|#ffffff|fill: black", figure), "one of them is unreadable"
    ids = [set(re.findall(r'id="([mp][0-9a-f]{10})"', figure)) for figure in figures]
    assert all(ids[1:])
    assert not ids[1] & ids[2], "what one figure defines the other one would use"


def test_the_page_shows_models_findings_and_rebuilds(html: str) -> None:
    cells = [" ".join(cell.split()) for cell in Structure(html).cells]
    revenue = cells.index("shop.revenue_by_customer")
    assert cells[revenue + 1 : revenue + 6] == ["group_aggregate", "3 h", "incremental", "37", "2"]
    places = cells.index("shop.places$of$all")
    assert cells[places + 1 : places + 5] == ["full", "not built", "first build", "0"]
    rebuilds = [cell for cell in cells if cell.startswith("SOURCE_REPLACED")]
    assert len(rebuilds) == 2
    assert rebuilds[0].endswith("`shop`.`orders` <b>&"), "text of a user's is only text"
    assert "Every refresh is full." in html
    assert "shop.places$of$all" in lineage(MODELS)


def test_an_empty_project_has_a_page_too() -> None:
    found = page("shop", NOW, [], lineage, refreshes, reasons)
    assert "This project has no ivm models." in found
    assert Structure(found).open == []
    unbuilt = page("shop", NOW, [PLACES], lineage, refreshes, reasons)
    assert "No model has been refreshed yet." in unbuilt
    assert "No estimate was wrong" in unbuilt


def test_a_model_that_was_only_rebuilt_is_drawn() -> None:
    assert "No incremental refresh yet." in refreshes(
        type(TOP)(TOP.facts, TOP.state, TOP.records[:1])
    )


def test_lag_technique_and_medians() -> None:
    assert (REVENUE.lag, TOP.lag, PLACES.lag) == (3 * 3600.0, 0.0, None)
    assert (REVENUE.technique, PLACES.technique) == ("group_aggregate", "full")
    assert REVENUE.seconds(RefreshKind.INITIAL) == 6.2
    assert PLACES.seconds(RefreshKind.FULL) is None


def test_what_is_saved_is_against_the_rebuild_before() -> None:
    records = (
        record("m", 1, "initial", 6.0),
        record("m", 2, "incremental", 2.0, changed_rows=10, source_rows=1000),
        record("m", 3, "full", 4.0, reason="SOURCE_REPLACED"),
        record("m", 4, "incremental", 5.0, changed_rows=10, source_rows=1000),
        record("m", 5, "incremental", 1.0),
    )
    assert replace(TOP, records=records).saved == Saved(4.0 - 1.0 + 3.0, 1980)
    assert replace(TOP, records=records[4:]).saved == Saved(0.0, 0)


def test_an_estimate_is_wrong_if_it_is_off_by_two() -> None:
    def took(seconds: float, kind: str = "incremental") -> Record:
        return record("m", 2, kind, seconds, estimated_incremental=2.0, estimated_full=8.0)

    fine = (took(2.1), took(1.1), took(3.9), took(8.0, "full"), took(1.0, "initial"))
    assert replace(TOP, records=fine).misjudged == []
    wrong = (took(4.5), took(0.9), took(2.0, "full"))
    assert [a for _, a in replace(TOP, records=(*fine, *wrong)).misjudged] == [4.5, 0.9, 2.0]
    close = record("m", 2, "incremental", 0.5, estimated_incremental=0.1)
    assert replace(TOP, records=(close,)).misjudged == []
    assert replace(TOP, records=(record("m", 2, "incremental", 9.0),)).estimated == []


def test_the_page_shows_what_was_saved_and_misjudged(html: str) -> None:
    assert "70 incremental refreshes and 2 full ones" in html
    assert "did not read 693,000 rows that had not changed" in html
    cells = [" ".join(cell.split()) for cell in Structure(html).cells]
    assert cells.count("shop.top_customers") == 2, "the models, and the estimates"


def test_models_read_models_by_their_states() -> None:
    found = reads(MODELS)
    assert found["`shop`.`top_customers`"] == ["`shop`.`revenue_by_customer`"]
    places = lineage_of(found)
    assert places.nodes == {
        "`shop`.`customers`": (0, 0),
        "`shop`.`orders`": (0, 1),
        "`shop`.`revenue_by_customer`": (1, 1),
        "`shop`.`top_customers`": (2, 1),
        "`shop`.`places$of$all`": (3, 0),
    }
    assert ((0, 0), (1, 0), (2, 0), (3, 0)) in places.lines, "it goes around what it passes"
    assert len(places.lines) == 5
    assert lineage_of({}).nodes == {}
