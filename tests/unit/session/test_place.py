"""The note of a Spark that stays, and which processes may attach to it."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from dbt.adapters.ivm_spark.session.place import MEMORY, WAREHOUSE, Note, Place, digests, versions

SETTINGS = {MEMORY: "2g", "spark.hadoop.fs.s3a.secret.key": "hidden"}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path / "place")
    place.enter()
    return place


def note(**settings: str) -> Note:
    given = {**SETTINGS, **settings}
    return Note(1, "secret", 2, 3, 4.0, "/w", "2g", versions(), digests(given))


def test_a_note_has_no_values_of_settings() -> None:
    assert "hidden" not in str(note().to_json())


def test_a_note_names_the_settings_that_differ() -> None:
    assert note().unlike(SETTINGS) == []
    assert note().unlike({**SETTINGS, MEMORY: "4g"}) == [MEMORY]
    assert note().unlike({MEMORY: "2g"}) == ["spark.hadoop.fs.s3a.secret.key"]
    assert note(more="1").unlike(SETTINGS) == ["more"]


def test_each_warehouse_has_a_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    here = Place.of({})
    assert Place.of({WAREHOUSE: f"file:{tmp_path}/spark-warehouse"}).folder == here.folder
    assert Place.of({WAREHOUSE: "/elsewhere"}).folder != here.folder
    assert here.folder.is_relative_to(tmp_path)
    assert Place.all() == []


def test_a_note_counts_only_while_the_keeper_lives(place: Place) -> None:
    place.write(note())
    assert place.note is None
    alive, kept = Place(place.folder).live(), Place(place.folder).live("keeper")
    assert place.note == note()
    kept.close()
    assert place.note is None, "Spark is about to end"
    alive.close()
    assert place.note is None


def test_a_broken_note_is_ignored(place: Place) -> None:
    with Place(place.folder).live(), Place(place.folder).live("keeper"):
        (place.folder / "spark.json").write_text('{"port": 1')
        assert place.note is None


def test_clients_are_counted_while_they_run(place: Place) -> None:
    other = Place(place.folder)
    with other.without_clients() as idle:
        assert not idle
    with place.alone() as alone:
        assert alone
    other.enter()
    with place.alone() as alone:
        assert not alone
    place.leave()
    other.leave()
    with Place(place.folder).without_clients() as idle:
        assert idle


def test_the_latest_client_says_how_long_it_stays(place: Place) -> None:
    assert place.keep == 0
    place.keep = 1800
    assert Place(place.folder).keep == 1800


def test_a_spark_that_starts_is_waited_for(place: Place) -> None:
    with Place(place.folder).live(), Place(place.folder).live("keeper"):
        threading.Timer(0.3, place.write, [note()]).start()
        place.settle()
        assert place.note == note()


def test_a_spark_without_a_keeper_is_not_attached_to(place: Place) -> None:
    place.write(note())
    ending = Place(place.folder).live()
    threading.Timer(0.3, ending.close).start()
    place.settle()
    assert ending.closed
    assert place.note is None
