"""Turns of the suite `layers`, what they sum up to, and how it is reported."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest
from rich.console import Console

from benchmarks.__main__ import file_name, main, options_of
from benchmarks.brokerage.figures import BUILD, CHANGE, IDLE, WHOLE, Turn, cells, summary
from benchmarks.brokerage.models import ordered
from benchmarks.brokerage.project import unequal
from benchmarks.cost import Cost, Run
from benchmarks.options import Options
from benchmarks.progress import Steps
from benchmarks.report.layers import overview
from benchmarks.report.page import page
from benchmarks.report.tables import tables
from benchmarks.report.text import sentences
from benchmarks.results import Cell, Result
from benchmarks.suites import layers
from benchmarks.suites.every import SUITES
from tests.unit.benchmarks.figures import result, run

MODELS = ("bronze_prices", "silver_market_highs")


class _Lab:
    """Says that every run takes as long, and of one model, from one run on, that it differs."""

    metering = 0.0
    types: Mapping[str, str] = {}

    def __init__(self, *_: Any, differs: str = "", since: int = 99, **__: Any) -> None:
        self.ran: list[str] = []
        self.sent: list[str] = []
        self._differs, self._since = differs, since

    def run(self, nodes: Sequence[str]) -> dict[str, Run]:
        self.ran.append(nodes[0].split("__")[1])
        kind = "incremental" if nodes[0].endswith("__auto") else None
        return {name: run(1.0, kind, jobs=2) for name in nodes}

    def rows(self, query: str) -> list[dict[str, Any]]:
        if query.startswith("show"):
            names = ["bronze_prices__auto", "bronze_prices__auto__ivm", "daily_prices"]
            key = "viewName" if "views" in query else "tableName"
            return [{key: name} for name in (names[:1] if key == "viewName" else names)]
        if query.startswith("describe"):
            return [{"col_name": "a", "data_type": self.types.get(query.split(".")[1], "int")}]
        differs = self._differs and self._differs in query and len(self.ran) >= self._since
        return [{"n": int(bool(differs))}]

    def send(self, statements: Sequence[str]) -> None:
        self.sent += statements

    def stored(self, name: str) -> str:
        return name

    def version(self, table: str) -> int:
        return len(self.ran) if table == "silver_market_highs__auto" else 7


def _measured(
    monkeypatch: pytest.MonkeyPatch, lab: _Lab, **options: Any
) -> tuple[list[list[Cell]], str]:
    @contextmanager
    def opened(*_: Any, **__: Any) -> Iterator[_Lab]:
        yield lab

    monkeypatch.setattr(layers, "Lab", opened)
    out = io.StringIO()
    with Steps(Console(file=out, width=300)) as steps:
        given = Options(Path(), rows=2_000, models=MODELS, fractions=(0.001, 0.005), **options)
        return list(layers.measure(given, steps)), out.getvalue()


def test_forms_take_turns_and_all_phases_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    lab = _Lab()
    found, said = _measured(monkeypatch, lab, rounds=2)
    assert lab.ran[:6] == ["auto", "table", "table", "auto", "auto", "table"]
    assert len(lab.ran) == 2 * (2 + 1 + 2 * 2 + 2)
    assert "18/18 no change, round 2" in said
    phases = [(c["phase"], c["fraction"]) for c in found[-1] if c["model"] == WHOLE]
    assert phases == [(BUILD, 0.0), (CHANGE, 0.001), (CHANGE, 0.005), (IDLE, 0.0)]
    assert [c["model"] for c in found[-1][:3]] == [WHOLE, *MODELS]
    rounds = {len(c["rivals"]["auto"]["runs"]) for c in found[-1] if c["phase"] != BUILD}
    assert rounds == {2}
    assert found[-1][-3]["wrote"] == {"auto": ["silver_market_highs"], "table": []}


def test_other_forms_are_measured_and_compared_too(monkeypatch: pytest.MonkeyPatch) -> None:
    lab = _Lab(differs="bronze_prices__full", since=3)
    found, said = _measured(monkeypatch, lab, rounds=1, warm_up=False, rivals=("full",))
    assert lab.ran == ["auto", "full", "table"]
    assert "WRONG ROWS: bronze_prices as full" in said
    assert set(found[-1][0]["rivals"]) == {"auto", "full", "table"}


def test_warm_up_relations_are_dropped_and_sources_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lab = _Lab()
    _measured(monkeypatch, lab, rounds=1)
    assert [sql for sql in lab.sent if sql.startswith("drop")] == [
        "drop view bench.bronze_prices__auto",
        "drop table bench.bronze_prices__auto__ivm",
    ]
    cold = _Lab()
    _measured(monkeypatch, cold, rounds=1, warm_up=False)
    assert not [sql for sql in cold.sent if sql.startswith("drop")]
    assert len(cold.ran) == 2 * (1 + 2 + 1)


def test_a_difference_ends_the_measurement_and_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    lab = _Lab(differs="silver_market_highs__auto", since=5)
    found, said = _measured(monkeypatch, lab, rounds=3)
    assert len(lab.ran) == 6
    assert "WRONG ROWS: silver_market_highs as auto has 1 rows too many" in said
    (wrong,) = summary(found[-1])["wrong"]
    assert wrong.startswith("0.10% changed, round 1: silver_market_highs as auto")
    shown = _result(found[-1])
    assert any(line.startswith("WRONG ROWS: 0.10% changed") for line in sentences(shown))


@pytest.mark.parametrize(
    ("one", "other", "rows"),
    [
        ("(1, 'x'), (1, 'x'), (null, 'y')", "(1, 'x'), (null, 'y'), (1, 'x')", 0),
        ("(1, 'x'), (1, 'x')", "(1, 'x')", 1),
        ("(1, null)", "(null, null)", 2),
        ("(1, 'x')", "(1, 'y')", 2),
    ],
)
def test_rows_are_compared_as_bags(one: str, other: str, rows: int) -> None:
    """On DuckDB, whose GROUP BY takes NULLs for equal, as Spark's does."""
    left, right = (f"select * from (values {values}) t(a, b)" for values in (one, other))
    found = duckdb.sql(f"select count(*) from {unequal(left, right, 'a, b')} q").fetchall()
    assert found == [(rows,)]


def test_another_type_is_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    lab = _Lab()
    lab.types = {"bronze_prices__auto": "bigint"}
    found, said = _measured(monkeypatch, lab, rounds=1, warm_up=False)
    assert len(lab.ran) == 2
    assert "bronze_prices as auto has the columns {'a': 'bigint'} instead of {'a': 'int'}" in said
    assert len(summary(found[-1])["wrong"]) == 1


def _turn(auto: float, table: float, kind: str = "incremental", **said: Any) -> Turn:
    whole = {"auto": run(2 * auto), "table": run(2 * table)}
    runs = {
        "auto": {
            m: Run(Cost(seconds=auto, jobs=4), {"refresh_kind": kind, **said}) for m in MODELS
        },
        "table": {m: run(table) for m in MODELS},
    }
    return Turn(whole, runs, {"daily_prices": 8, "trades": 2}, {"auto": [], "table": []})


def _made() -> list[Cell]:
    code = {"code": "COST_MODEL"}
    return [
        *cells(BUILD, 0.0, [_turn(3.0, 1.0, "initial")]),
        *cells(CHANGE, 0.001, [_turn(1.0, 2.0, rows_affected=3), _turn(1.0, 4.0, "none")]),
        *cells(CHANGE, 0.005, [_turn(2.0, 1.0, "full", reason=code)]),
        *cells(IDLE, 0.0, [_turn(0.1, 1.0, "none")]),
    ]


def _result(of: list[Cell], rows: int = 10_000) -> Result:
    return result("layers", of, summary, scale=rows)


def test_a_summary_has_every_run() -> None:
    said = summary(_made())
    assert [run["phase"] for run in said["runs"]] == [BUILD, CHANGE, CHANGE, IDLE]
    assert [run["ratio"] for run in said["runs"]] == pytest.approx([1 / 3, 3.0, 0.5, 10.0])
    assert [run["too_slow"] for run in said["runs"]] == [2, 0, 2, 0]
    assert said["runs"][1]["kinds"] == {"none": 2}
    assert said["never"] == {}
    assert said["wrong"] == []


def test_a_model_that_is_not_maintained_is_named() -> None:
    code = {"code": "OPERATOR_NOT_SUPPORTED"}
    said = summary(cells(CHANGE, 0.001, [_turn(1.0, 2.0, "full", reason=code)]))
    assert said["never"] == dict.fromkeys(MODELS, "OPERATOR_NOT_SUPPORTED")


def test_a_cell_records_each_round_and_the_statements_of_changes() -> None:
    whole, bronze, *_ = cells(CHANGE, 0.001, [_turn(1, 2, rows_affected=3), _turn(1, 2, "full")])
    assert whole["changed_rows"] == {"daily_prices": 8, "trades": 2}
    assert bronze["depth"] == 1
    assert bronze["rivals"]["auto"]["kinds"] == ["incremental", "full"]
    assert bronze["rivals"]["auto"]["rows_changed"] == [3, None]
    assert "sent" in bronze["rivals"]["auto"]
    assert "sent" not in bronze["rivals"]["table"]
    assert "sent" not in whole["rivals"]["auto"]


def test_the_tables_of_a_result() -> None:
    whole, first, second = tables(_result(_made()))
    assert [row[0] for row in whole.rows] == [
        *(BUILD, "0.1 % changed", "0.5 % changed", IDLE),
    ]
    columns = dict(zip(first.header, first.rows[0], strict=True))
    assert columns["changed rows"] == "3"
    assert columns["what auto did"] == "incremental, none"
    columns = dict(zip(second.header, second.rows[0], strict=True))
    assert (columns["s lost"], columns["reason"]) == ("1", "COST_MODEL")


def test_the_slowest_models_show_both_ways_if_they_were_measured() -> None:
    found = cells(CHANGE, 0.001, [_turn(1.0, 2.0)])
    for cell in found:
        cell["rivals"]["full"] = {"seconds": 7.0}
    _, worst = tables(_result(found))
    assert dict(zip(worst.header, worst.rows[0], strict=True))["full s"] == "7"
    assert "incremental s" not in worst.header


def test_sizes_stand_side_by_side_and_smallest_first() -> None:
    large, small = _result(_made(), 1_000_000), _result(_made()[:6])
    table = overview([large, small])
    assert table.header[:4] == [
        *("rows of the largest sources", "first build", "0.1 % changed", "0.5 % changed"),
    ]
    assert table.rows[0][:4] == ["10,000", "0.33", "3", "-"]
    assert table.rows[1] == ["1,000,000", "0.33", "3", "0.50", "10", "0.10", "0"]
    written = page([large, small], [])
    assert written.index("## layers\n") < written.index("## layers, 10,000 rows")
    assert written.index("## layers, 10,000 rows") < written.index("## layers, 1,000,000 rows")
    assert "scale factor" not in written


def test_without_a_result_the_page_does_not_have_the_suite() -> None:
    assert "layers" not in page([], [])


def test_a_result_is_named_after_its_rows() -> None:
    options = options_of({"folder": "x", "rows": 10_000}, SUITES["layers"].defaults)
    assert options.fractions == (0.001, 0.005)
    assert file_name(SUITES["layers"], options) == "layers_10000.json"
    assert file_name(SUITES["tpch"], options) == "tpch_sf1.json"


@pytest.mark.parametrize("what", [("--models", "q01"), ("--rivals", "merge")])
def test_models_and_rivals_of_another_suite_are_refused(
    what: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["--suite", "layers", *what])
    assert f"layers has no {what[0][2:]} ['{what[1]}']" in capsys.readouterr().err


def test_the_tested_models_include_their_parents() -> None:
    assert tuple(ordered(MODELS)) == MODELS
