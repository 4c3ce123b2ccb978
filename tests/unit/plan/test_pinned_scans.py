"""Which sources a refresh reads through views of their own."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from dbt.adapters.ivm_spark.algebra.catalog import Catalog, Relation, RelationKind, relation_key
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.tree import At, RuntimeFilter, Scan
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts
from dbt.adapters.ivm_spark.physical.file_pruning import FileKeys
from dbt.adapters.ivm_spark.physical.key_ranges import Answer, Question
from dbt.adapters.ivm_spark.physical.lower import Statements
from dbt.adapters.ivm_spark.plan.change import Derivation
from dbt.adapters.ivm_spark.plan.decide import Decision
from dbt.adapters.ivm_spark.plan.findings import Findings
from dbt.adapters.ivm_spark.plan.pinned_scans import pinned_scans, pruned
from dbt.adapters.ivm_spark.plan.reading import lay_out
from dbt.adapters.ivm_spark.source.binding import Versions
from dbt.adapters.ivm_spark.source.version_range import Head
from dbt.adapters.ivm_spark.sql.build import build_view
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.state.insert import Insert
from dbt.adapters.ivm_spark.state.layout import probe

RELATIONS = tuple(
    Relation(f"`s`.`{name}`", RelationKind.DELTA, columns)
    for name, columns in {
        "lines": (("o", "bigint"), ("q", "int")),
        "orders": (("o", "bigint"), ("c", "bigint")),
        "files": (("c", "bigint"), ("n", "int")),
    }.items()
)
LINES, ORDERS, FILES = (relation.name for relation in RELATIONS)
CATALOG = Catalog({relation_key(r.name): r for r in RELATIONS}, ("s",))
QUERY = (
    "select sum(l.q * f.n) as x from lines l join orders o on l.o = o.o join files f on o.c = f.c "
    "where l.q > 1"
)
HEADS = {
    LINES: Head(7, True),
    ORDERS: Head(3, True),
    FILES: Head(0, False, kind=RelationKind.FILES),
}
RESTRICTED = {LINES: {"q"}, ORDERS: set[str]()}
"""The columns that the query's conditions restrict."""


@dataclass
class _Found:
    """What a planner has found, as far as these views depend on it."""

    layout: Any
    derivation: Derivation
    heads: dict[str, Head] = field(default_factory=lambda: HEADS)


@dataclass
class _Decision:
    build: bool
    moved: frozenset[str] = frozenset()
    changes_nothing: bool = False


def _pinned(decision: _Decision, *refused: str) -> dict[str, str]:
    view = build_view(QUERY, CATALOG)
    layout = lay_out(view, dict.fromkeys(probe(view.root).columns, "bigint"), "`s`.`v__ivm`")
    facts = {r.name: SourceFacts.of(10, r.columns) for r in RELATIONS}
    asked = list[tuple[str, int]]()

    def pin(
        name: str, relation: str, version: int, keys: FileKeys | None, restricted: Set[str]
    ) -> bool:
        assert keys is None
        assert restricted == RESTRICTED[relation]
        asked.append((relation, version))
        return relation not in refused

    found = cast(Findings, _Found(layout, Derivation(layout, facts)))
    views = pinned_scans(found, cast(Decision, decision), pin, "t")
    assert set(asked) <= {(LINES, 7), (ORDERS, 3)}
    assert len(set(views.values())) == len(views)
    return views


def test_a_rebuild_reads_all_delta_tables_so() -> None:
    assert _pinned(_Decision(build=True)).keys() == {LINES, ORDERS}
    assert _pinned(_Decision(build=True), LINES).keys() == {ORDERS}


def test_an_incremental_refresh_reads_those_that_meet_a_change() -> None:
    assert _pinned(_Decision(False, frozenset({LINES}))).keys() == {ORDERS}
    assert _pinned(_Decision(False, frozenset({LINES, ORDERS}))).keys() == {LINES, ORDERS}
    assert not _pinned(_Decision(False, frozenset(), changes_nothing=True))


def test_a_source_is_read_through_its_view() -> None:
    tree = build_view("select l.q from lines l join orders o on l.o = o.o", CATALOG).root
    versions = Versions.of({}, HEADS, scans={LINES: "`ivm_scan_0_t`"})
    text = to_sql(render(tree, versions.bind))
    assert "FROM `ivm_scan_0_t` AS `l`" in text
    assert "`s`.`orders` VERSION AS OF 3 AS `o`" in text


KEYS = Scan("m", "m", (("key", "key"),), At.TEMPORARY)
QUESTION = Question(KEYS, "key", "bigint")


def _meeting(relation: str) -> Statements:
    """Statements that read the rows of a relation with the keys 3 to 5."""
    rows = RuntimeFilter(Scan(relation, "r", (("k", "o"),)), KEYS, "k", "key", "bigint", False)
    statements = Statements((), Insert(rows, ("k",)), Versions.of({}, HEADS).bind)
    return statements.answered({QUESTION: Answer((("3", "5"),), nulls=False)})


def test_files_of_the_changes_keys_are_read_in_place_of_a_source() -> None:
    asked = []

    def pin(
        name: str, relation: str, version: int, keys: FileKeys | None, restricted: Set[str]
    ) -> bool:
        asked.append((name, relation, version, keys))
        assert not restricted, "the keys are no condition of the query"
        return True

    read = pruned(_meeting(LINES), Versions.of({}, HEADS), pin, "t")
    keys = FileKeys("o", False, (3,), (5,), "bigint")
    assert asked == [("ivm_files_0_t", LINES, 7, keys)]
    text = read.text(read.write.source)
    assert "FROM `ivm_files_0_t` AS `r`" in text
    assert "BETWEEN 3 AND 5" in text
    assert pruned(read, Versions.of({}, HEADS), pin, "t") == read, "it is asked once"


@pytest.mark.parametrize(
    ("relation", "scans", "done"),
    [(LINES, {}, False), (LINES, {LINES: "`all`"}, False), (FILES, {}, True)],
    ids=["Delta chooses", "all files are read", "no version"],
)
def test_other_sources_are_read_as_before(relation: str, scans: dict[str, str], done: bool) -> None:
    versions = Versions.of({}, HEADS, scans=scans)
    statements = replace(_meeting(relation), bind=versions.bind)
    read = pruned(statements, versions, lambda *_: done, "t")
    assert ("`all`" in read.text(read.write.source)) == bool(scans)
    assert read.text(read.write.source) == statements.text(statements.write.source)
    assert not read.prunes


def test_files_of_the_keys_take_the_place_of_all_files() -> None:
    versions = Versions.of({}, HEADS, scans={LINES: "`all`"})
    read = pruned(replace(_meeting(LINES), bind=versions.bind), versions, lambda *_: True, "t")
    assert "FROM `ivm_files_0_t` AS `r`" in read.text(read.write.source)
