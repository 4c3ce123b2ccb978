"""Tables, sentences, the page and the plots."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.report.__main__ import main
from benchmarks.report.page import page
from benchmarks.report.tables import Table, number, percent, tables
from benchmarks.report.text import sentences, summary_text
from benchmarks.results import Result
from benchmarks.suites import big_state, long_run, many_models
from benchmarks.summary import summary
from tests.unit.benchmarks.figures import made, result


@pytest.fixture
def shapes() -> Result:
    cells = [
        made("filter", auto=1.0, table=3.0, best=0.8, change_feed=0.4),
        made("min_max", auto=2.0, table=3.0),
    ]
    return result("shapes", cells, summary)


@pytest.fixture
def fractions() -> Result:
    cells = [
        made(model, fraction, kind, auto=1.0, incremental=2.0, full=1.0, table=1.0 / fraction / 50)
        for model in ("a", "b")
        for fraction, kind in ((0.001, "incremental"), (0.1, "full"))
    ]
    return result("fractions", cells, summary)


def test_a_table_of_refreshes(shapes: Result) -> None:
    (table,) = tables(shapes)
    assert table.title == "0.1 % of the orders changed"
    columns = dict(zip(table.header, table.rows[0], strict=True))
    assert columns["model"] == "filter"
    assert columns["technique"] == "row_based"
    assert (columns["table s"], columns["ivm s"], columns["times"]) == ("3", "1", "3")
    assert (columns["best s"], columns["change_feed s"]) == ("0.80", "0.40")
    assert columns["jobs"] == "3"
    assert dict(zip(table.header, table.rows[1], strict=True))["best s"] == "-"
    assert "merge s" not in columns


def test_over_fractions_there_is_a_table_of_speed_ups(fractions: Result) -> None:
    first, *others = tables(fractions)
    assert first.header == ["model", "0.1 %", "10 %"]
    assert first.rows == [["a", "20", "0.20 full"], ["b", "20", "0.20 full"]]
    assert len(others) == 2


def test_a_table_in_markdown_and_on_a_terminal() -> None:
    table = Table("Title", ["model", "s"], [["a", "1.25"], ["longer", "30"]])
    assert table.markdown().splitlines() == [
        *("**Title**", "", "| model | s |", "| --- | ---: |", "| a | 1.25 |", "| longer | 30 |")
    ]
    assert table.plain().splitlines() == ["Title", "model      s", "a       1.25", "longer    30"]


def test_numbers() -> None:
    assert [number(v) for v in (None, 1.0, 1234567, 0.126, 1234.5)] == [
        *("-", "1", "1,234,567", "0.13", "1,234.50")
    ]
    assert [percent(f) for f in (0.0001, 0.001, 0.05, 0.5)] == ["0.01 %", "0.1 %", "5 %", "50 %"]


def test_sentences_of_refreshes(shapes: Result, fractions: Result) -> None:
    said = "\n".join(sentences(shapes))
    assert "0.1 % changed: 2.12 times as fast as a table in the geometric mean of 2" in said
    assert "the worst is min_max with 1.50" in said
    assert "At most 1.25 times the time of the best MERGE." in said
    assert "At most 3 jobs in a refresh: filter at 0.001." in said
    said = "\n".join(sentences(fractions))
    assert "auto chose correctly in 2 of 4 cells." in said
    assert "It chose wrongly in: a at 0.001." in said
    assert "a: incremental is slower than a table from 1 % on." in said


def test_wrong_rows_are_said_loudly(shapes: Result) -> None:
    shapes.cells[1]["right"] = False
    assert "WRONG ROWS: min_max at 0.001." in sentences(result("shapes", shapes.cells, summary))


def test_a_result_says_where_it_was_measured(shapes: Result) -> None:
    said = summary_text(shapes)
    assert "2 cores, 4.0 GiB heap, Python" in said
    assert "pyspark 4.1.1; commit abc; load before 0.1." in said
    assert "interrupted" not in said


def test_the_special_suites_have_tables_and_sentences() -> None:
    many = {
        "models": 10,
        "moved": "orders",
        "seconds": 5.0,
        "seconds_a_model": 0.5,
        "seconds_of_moved": 0.7,
        "slowest_model": 0.9,
        "statements_a_model": 4.5,
        "jobs": 20,
        "histories": {"orders": 1},
    }
    run = {"model": "m", "kind": "incremental", **dict.fromkeys(long_run.FIGURES, 2.0)}
    runs = [{**run, "refresh": number} for number in range(1, 41)]
    big = [
        {"groups": groups, "pattern": pattern, **made("g", auto=1.0, table=2.0)}
        for groups in (100, 1_000)
        for pattern in big_state.PATTERNS
    ]
    results = [
        result("many_models", [many], many_models.summary),
        result("long_run", runs, long_run.summary),
        result("big_state", big, big_state.summary),
    ]
    made_tables = [table for each in results for table in tables(each)]
    assert made_tables[0].rows[0][0] == "10 models, orders moved"
    assert made_tables[0].rows[0][-1] == "1"
    assert [row[0] for row in made_tables[1].rows] == [f"m, refresh {n}" for n in (1, 10, 20, 40)]
    assert made_tables[2].rows[2][0] == "1,000 groups, near keys"
    written = page(results, [])
    assert "- m: seconds 1, files 1," in written
    assert "- near: groups 100 and 1,000, large by small 1" in written


def test_the_page_and_its_plots(tmp_path: Path, shapes: Result, fractions: Result) -> None:
    figures, docs = tmp_path / "results", tmp_path / "docs"
    shapes.write(figures / "shapes_sf1.json")
    larger = result("shapes", list(shapes.cells), summary, scale=10)
    larger.write(figures / "shapes_sf10.json")
    fractions.write(figures / "fractions_sf1.json")
    cells = [
        {
            "model": "m",
            "refresh": number,
            "kind": "incremental",
            **dict.fromkeys(long_run.FIGURES, 2.0),
        }
        for number in range(1, 41)
    ]
    result("long_run", cells, long_run.summary).write(figures / "long_run_sf1.json")
    main(["--results", str(figures), "--docs", str(docs)])
    drawn = {path.stem for path in (docs / "benchmarks").glob("*.png")}
    assert drawn == {
        *("speedup_by_fraction_sf1", "breakdown_sf1", "breakdown_sf10"),
        *("time_by_scale_shapes", "long_run_sf1"),
    }
    text = (docs / "benchmarks.md").read_text()
    for name in drawn:
        assert f"(benchmarks/{name}.png)" in text
        assert (docs / "benchmarks" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert "## fractions, scale factor 1" in text
    assert "| filter | row_based | 3 | 1 | 3 |" in text


def test_without_results_the_report_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["--results", str(tmp_path), "--docs", str(tmp_path)])
    assert "run `make bench` first" in capsys.readouterr().err
