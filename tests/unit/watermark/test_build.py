"""Which build a table of parts has the rows of, by its commits."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbt.adapters.ivm_spark.source.commit import Commit
from dbt.adapters.ivm_spark.watermark.build import Build, Record, recorded
from dbt.adapters.ivm_spark.watermark.watermark import SourceWatermark

BUILD = Build("b", "digest", {"`s`.`t`": SourceWatermark("id", 12, 3)}, 0, ("1", "2; 3"))
APPEND = {"mode": "Append"}


def part(number: int, build: Build = BUILD) -> Commit:
    mark = replace(build, done=number).encode()
    if number == 1:
        return Commit(0, "CREATE OR REPLACE TABLE AS SELECT", {}, {}, mark)
    return Commit(number, "WRITE", APPEND, {}, mark)


def done(*commits: Commit, known: Record | None = None) -> Build | None:
    record = recorded(newest_first(*commits), known)
    return None if record is None else record.build


def newest_first(*commits: Commit) -> list[Commit]:
    return [*reversed(commits)]


def test_the_newest_part_tells_how_far_it_has_come() -> None:
    assert done(part(1), part(2)) == replace(BUILD, done=2)
    assert done(part(1)) == replace(BUILD, done=1)


def test_a_part_without_rows_has_no_commit() -> None:
    assert done(part(1), part(3)) == replace(BUILD, done=3)


def test_an_earlier_build_in_the_same_table_does_not_count() -> None:
    other = replace(BUILD, build_id="earlier")
    assert done(part(1, other), part(2, other), part(1)) == replace(BUILD, done=1)


def test_compacting_changes_no_rows() -> None:
    optimized = Commit(3, "OPTIMIZE", {}, {})
    assert done(part(1), optimized, part(2), optimized) == replace(BUILD, done=2)


@pytest.mark.parametrize(
    "commits",
    [
        (),
        (part(2),),
        (part(1), Commit(1, "WRITE", APPEND, {})),
        (part(1), Commit(1, "DELETE", {}, {}), part(2)),
        (part(1), part(2, replace(BUILD, build_id="other"))),
        (part(1), part(2), part(2)),
        (part(1), part(3), part(2)),
        (part(1), Commit(2, "WRITE", APPEND, {}, "ivm-build1.nothing")),
        (part(1), Commit(2, "WRITE", APPEND, {}, "ivm2.nothing")),
    ],
)
def test_a_table_with_other_rows_has_no_build(commits: tuple[Commit, ...]) -> None:
    assert recorded(newest_first(*commits)) is None


def test_commits_since_an_earlier_look_are_enough() -> None:
    optimized = Commit(3, "OPTIMIZE", {}, {})
    known = Record(2, replace(BUILD, done=2))
    assert done(part(2), known=known) == replace(BUILD, done=2)
    assert done(part(2), optimized, part(3), known=known) == replace(BUILD, done=3)


@pytest.mark.parametrize(
    "commits",
    [
        (part(2), Commit(3, "WRITE", APPEND, {})),
        (part(2), part(3, replace(BUILD, build_id="other"))),
        (replace(part(2), version=5), part(3)),
        (part(3),),
        (),
    ],
)
def test_other_rows_since_then_are_noticed(commits: tuple[Commit, ...]) -> None:
    assert recorded(newest_first(*commits), Record(2, replace(BUILD, done=2))) is None
