"""What one start of Spark leaves for the next."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dbt.adapters.ivm_spark.session.settings import JARS, JAVA_OPTIONS, PACKAGES
from dbt.adapters.ivm_spark.session.start_files import (
    CLASS_PATH,
    note_jars,
    with_archive,
    with_jars,
    write_archive,
)

SETTINGS = {PACKAGES: "io.delta:delta:1", "spark.master": "local[2]"}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def jar(tmp_path: Path) -> Path:
    path = tmp_path / "delta.jar"
    path.write_bytes(b"jar")
    return path


@pytest.fixture
def java(tmp_path: Path) -> Path:
    path = tmp_path / "java"
    path.touch()
    return path


def context(*jars: str) -> Any:
    """A SparkContext that has found these jars."""
    return SimpleNamespace(getConf=lambda: {JARS: ",".join(jars)})


def test_jars_of_packages_go_on_the_class_path_next_time(jar: Path) -> None:
    assert with_jars(SETTINGS) == SETTINGS
    note_jars(SETTINGS, context(f"file://{jar}"))
    assert with_jars(SETTINGS) == {"spark.master": "local[2]", CLASS_PATH: str(jar)}


def test_libraries_that_spark_has_itself_stay_out(jar: Path, tmp_path: Path) -> None:
    theirs = ("org.slf4j_slf4j-api-1.0.jar", "com.fasterxml.jackson.core_jackson-core-2.13.5.jar")
    paths = [tmp_path / name for name in (*theirs, "io.delta_delta-spark_4.1_2.13-4.3.1.jar")]
    for path in paths:
        path.touch()
    note_jars(SETTINGS, context(*(f"file://{path}" for path in paths)))
    assert with_jars(SETTINGS)[CLASS_PATH] == str(paths[-1])


def test_the_users_own_jars_and_class_path_stay(jar: Path) -> None:
    own = {**SETTINGS, JARS: "file:///own.jar", CLASS_PATH: "/driver.jar"}
    note_jars(own, context("file:///own.jar", f"file://{jar}"))
    assert with_jars(own)[CLASS_PATH] == f"{jar}:/driver.jar"
    assert with_jars(own)[JARS] == "file:///own.jar"


@pytest.mark.parametrize(
    "other",
    [
        {PACKAGES: "io.delta:delta:2"},
        {"spark.jars.repositories": "https://example.org/maven"},
        {"spark.master": "spark://host:7077"},
        {"spark.master": "yarn"},
    ],
)
def test_other_packages_and_clusters_ask_ivy(jar: Path, other: dict[str, str]) -> None:
    note_jars(SETTINGS, context(f"file://{jar}"))
    note_jars({**SETTINGS, "spark.master": "yarn"}, context(f"file://{jar}"))
    assert with_jars({**SETTINGS, **other}) == {**SETTINGS, **other}


@pytest.mark.parametrize("spoil", [Path.unlink, lambda jar: jar.write_bytes(b"another")])
def test_jars_that_are_gone_or_changed_are_fetched_again(jar: Path, spoil: Any) -> None:
    note_jars(SETTINGS, context(f"file://{jar}"))
    spoil(jar)
    assert with_jars(SETTINGS) == SETTINGS


def test_a_broken_list_of_jars_is_ignored(jar: Path, cache: Path) -> None:
    note_jars(SETTINGS, context(f"file://{jar}"))
    (path,) = cache.rglob("*.json")
    path.write_text("{")
    assert with_jars(SETTINGS) == SETTINGS


def test_an_archive_is_gathered_once_and_then_used(java: Path) -> None:
    settings, archive = with_archive({JAVA_OPTIONS: "-Da=b"}, java)
    assert archive is not None
    assert settings[JAVA_OPTIONS].startswith("-Da=b -XX:+RecordDynamicDumpInfo")
    archive.parent.mkdir(parents=True)
    archive.touch()
    settings, wanted = with_archive({JAVA_OPTIONS: "-Da=b"}, java)
    assert wanted is None
    assert f"-XX:SharedArchiveFile={archive} " in settings[JAVA_OPTIONS]


def test_other_options_jars_and_javas_have_an_archive_of_their_own(
    java: Path, jar: Path, tmp_path: Path
) -> None:
    other = tmp_path / "java21"
    other.touch()
    archives = {
        with_archive({}, java)[1],
        with_archive({}, other)[1],
        with_archive({JAVA_OPTIONS: "-XX:+UseSerialGC"}, java)[1],
        with_archive({CLASS_PATH: str(jar)}, java)[1],
    }
    jar.write_bytes(b"another release")
    archives.add(with_archive({CLASS_PATH: str(jar)}, java)[1])
    assert len(archives) == 5


def test_no_archive_on_a_cluster_or_in_a_folder_with_spaces(
    java: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"spark.master": "spark://host:7077"}
    assert with_archive(settings, java) == (settings, None)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "my cache"))
    assert with_archive({}, java) == ({}, None)


def test_a_spark_that_has_done_little_leaves_no_archive(cache: Path) -> None:
    loaded = SimpleNamespace(getLoadedClassCount=lambda: 9_000)
    factory = SimpleNamespace(getClassLoadingMXBean=lambda: loaded)
    management = SimpleNamespace(ManagementFactory=factory)
    jvm = SimpleNamespace(java=SimpleNamespace(lang=SimpleNamespace(management=management)))
    write_archive(SimpleNamespace(jvm=jvm), cache / "classes" / "a.jsa")
    assert not (cache / "classes").exists()
