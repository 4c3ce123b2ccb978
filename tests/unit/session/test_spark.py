from pathlib import Path

import pytest
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ivm_spark.session import spark as module
from dbt.adapters.ivm_spark.session.settings import CATALOG, DELTA_CATALOG, EXTENSIONS, PACKAGES
from dbt.adapters.ivm_spark.session.spark import new_session
from dbt.adapters.ivm_spark.session.spark_log import SparkLog

COORDINATES = "io.delta:delta-spark_4.1_2.13:4.3.1"
UNRESOLVED = f"""
        :: {COORDINATES}: not found
Exception in thread "main" java.lang.RuntimeException: [unresolved dependency: {COORDINATES}]
"""


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> "dict[str, str]":
    """No Spark in the process, and a launch that fails with what `log` says."""
    said = {"log": ""}

    def launch(settings: dict[str, str], log: SparkLog, archive: bool) -> None:
        log.path.write_text(said["log"])
        raise RuntimeError("[JAVA_GATEWAY_EXITED] Java gateway process exited.")

    monkeypatch.setattr(module, "_existing", lambda: None)
    monkeypatch.setattr(module.SparkContext, "_gateway", None)
    monkeypatch.setattr(module, "java_version", lambda: 17)
    monkeypatch.setattr(module, "delta_package", lambda: COORDINATES)
    monkeypatch.setattr(module, "SparkLog", lambda folder: SparkLog(tmp_path))
    monkeypatch.setattr(module, "started", launch)
    return said


def test_jars_that_cannot_be_fetched(start: dict[str, str], tmp_path: Path) -> None:
    start["log"] = UNRESOLVED
    with pytest.raises(DbtRuntimeError) as error:
        new_session({})
    assert f"could not fetch {COORDINATES}" in error.value.msg
    assert "spark.jars.ivySettings" in error.value.msg
    assert str(tmp_path / "spark.log") in error.value.msg


def test_another_failure_shows_the_telling_lines(start: dict[str, str]) -> None:
    start["log"] = "WARN nothing\n" * 20 + "Error: Could not create the JVM.\n\tat x.Y(Z)\n"
    with pytest.raises(DbtRuntimeError) as error:
        new_session({})
    assert "[JAVA_GATEWAY_EXITED]" in error.value.msg
    assert "Could not create the JVM." in error.value.msg
    assert "WARN nothing" not in error.value.msg


def test_a_java_newer_than_supported_is_named(
    start: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "java_version", lambda: 25)
    with pytest.raises(DbtRuntimeError, match="It ran on Java 25"):
        new_session({})


class FakeSession:
    """Somebody else's session, which hands out itself."""

    def __init__(self, conf: dict[str, str]) -> None:
        self.conf = conf

    def newSession(self) -> "FakeSession":
        return self


def test_an_existing_session_without_delta(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_existing", lambda: FakeSession({}))
    with pytest.raises(DbtRuntimeError, match=f"without Delta Lake.*{EXTENSIONS}=.*{CATALOG}="):
        new_session({PACKAGES: "ignored"})


def test_an_existing_session_with_delta(monkeypatch: pytest.MonkeyPatch) -> None:
    conf = {EXTENSIONS: "a,io.delta.sql.DeltaSparkSessionExtension", CATALOG: DELTA_CATALOG}
    monkeypatch.setattr(module, "_existing", lambda: FakeSession(conf))
    assert isinstance(new_session({}), FakeSession)
