"""All rivals by name, in the order of the reports."""

from __future__ import annotations

from benchmarks.rivals.best import Best
from benchmarks.rivals.by_dbt import APPEND, AUTO, FULL, INCREMENTAL, MERGE, TABLE
from benchmarks.rivals.duck import DuckDb
from benchmarks.rivals.floors import ChangeFeed, EmptyMerge, InsertedRows
from benchmarks.rivals.rival import Rival

RIVALS: dict[str, Rival] = {
    rival.name: rival
    for rival in (
        AUTO,
        APPEND,
        INCREMENTAL,
        FULL,
        TABLE,
        MERGE,
        Best(),
        InsertedRows(),
        EmptyMerge(),
        ChangeFeed(),
        DuckDb(),
    )
}
