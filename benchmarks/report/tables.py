"""The tables of a result. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from benchmarks.report.layers import layers
from benchmarks.report.table import NOTHING, Table, number, percent
from benchmarks.results import Cell, Result

_SIDE_BY_SIDE = (
    "incremental",
    "full",
    "merge",
    "best",
    "insert_rows",
    "empty_merge",
    "change_feed",
    "duckdb",
)


def tables(result: Result) -> list[Table]:
    """Return the tables with everything that was measured."""
    return list(_TABLES.get(result.suite, _refreshes)(result.cells))


def _refreshes(cells: Sequence[Cell]) -> Iterator[Table]:
    fractions = sorted({cell["fraction"] for cell in cells})
    if len(fractions) > 1:
        yield _by_fraction(cells, fractions)
    for fraction in fractions:
        yield _at([cell for cell in cells if cell["fraction"] == fraction], fraction)


def _by_fraction(cells: Sequence[Cell], fractions: Sequence[float]) -> Table:
    """Return the speed-up of `auto` over `table`, with full refreshes marked."""
    found = {(cell["model"], cell["fraction"]): cell for cell in cells}
    rows = []
    for model in dict.fromkeys(cell["model"] for cell in cells):
        row = [model]
        for fraction in fractions:
            cell = found.get((model, fraction))
            full = cell is not None and cell["rivals"].get("auto", {}).get("kind") == "full"
            row.append(number(cell and cell["ratio"]) + (" full" if full else ""))
        rows.append(row)
    title = "Times as fast as a table, by changed fraction of the orders"
    return Table(title, ["model", *(percent(f) for f in fractions)], rows)


def _at(cells: Sequence[Cell], fraction: float) -> Table:
    others = [name for name in _SIDE_BY_SIDE if any(name in c["rivals"] for c in cells)]
    header = ["model", "technique", "table s", "ivm s", "times", *(f"{name} s" for name in others)]
    header += ["statements", "jobs", "rows read", "table rows read", "MB written", "files"]
    rows = []
    for cell in cells:
        rivals = cell["rivals"]
        auto, table = rivals.get("auto", {}), rivals.get("table", {})
        rows.append(
            [
                cell["model"],
                auto.get("technique") or NOTHING,
                number(table.get("seconds")),
                number(auto.get("seconds")),
                number(cell["ratio"]),
                *(number(rivals.get(name, {}).get("seconds")) for name in others),
                number(auto.get("statements"), 0),
                number(auto.get("jobs"), 0),
                number(auto.get("rows_read"), 0),
                number(table.get("rows_read"), 0),
                number(auto["bytes_written"] / 1e6 if auto else None),
                number(auto.get("files_added"), 0),
            ]
        )
    return Table(f"{percent(fraction)} of the orders changed", header, rows)


def _many_models(cells: Sequence[Cell]) -> Iterator[Table]:
    columns = (
        ("run s", "seconds", 1),
        ("s per model", "seconds_a_model", 2),
        ("s per moved model", "seconds_of_moved", 2),
        ("slowest s", "slowest_model", 2),
        ("statements per model", "statements_a_model", 1),
        ("jobs", "jobs", 0),
    )
    rows = [
        [
            f"{cell['models']} models, {cell['moved'] or 'nothing'} moved",
            *(number(cell[key], digits) for _, key, digits in columns),
            number(max(cell["histories"].values(), default=0), 0),
        ]
        for cell in cells
    ]
    header = ["run", *(name for name, _, _ in columns), "histories of a source"]
    yield Table("Many models in one run", header, rows)


def _long_run(cells: Sequence[Cell]) -> Iterator[Table]:
    columns = ("seconds", "files", "bytes", "disk_files", "log_files", "log_bytes")
    last = max((cell["refresh"] for cell in cells), default=0)
    rows = [
        [f"{c['model']}, refresh {c['refresh']}", *(number(c[name]) for name in columns)]
        for c in cells
        if c["refresh"] in (1, 10, last // 2, last)
    ]
    header = ["model", *(name.replace("_", " ") for name in columns)]
    yield Table(f"{last} refreshes in a row", header, rows)


def _big_state(cells: Sequence[Cell]) -> Iterator[Table]:
    rows = [
        [
            f"{cell['groups']:,} groups, {cell['pattern']} keys",
            number(cell["rivals"]["table"]["seconds"]),
            number(cell["rivals"]["auto"]["seconds"]),
            number(cell["ratio"]),
            number(cell["rivals"]["auto"]["rows_read"], 0),
            number(cell["rivals"]["auto"]["bytes_written"] / 1e6),
        ]
        for cell in cells
    ]
    header = ["state", "table s", "ivm s", "times", "rows read", "MB written"]
    yield Table("1,000 touched groups", header, rows)


_TABLES: dict[str, Callable[[Sequence[Cell]], Iterator[Table]]] = {
    "many_models": _many_models,
    "long_run": _long_run,
    "big_state": _big_state,
    "layers": layers,
}
