from pathlib import Path

from dbt.adapters.ivm_spark.session import spark_log as module
from dbt.adapters.ivm_spark.session.spark_log import SparkLog


def test_only_what_was_written_since_the_start(tmp_path: Path) -> None:
    (tmp_path / "spark.log").write_text("Error of yesterday\n")
    log = SparkLog(tmp_path)
    assert log.text() == ""
    with log.path.open("a") as file:
        file.write("hello\nERROR today\n\tat org.apache.Error(x)\n")
    assert log.telling_lines() == "hello\nERROR today"


def test_a_long_log_shows_its_errors(tmp_path: Path) -> None:
    log = SparkLog(tmp_path)
    log.path.write_text("WARN nothing\n" * 20 + "ERROR today\n" * 2)
    assert log.telling_lines() == "ERROR today"


def test_a_log_without_errors_shows_its_last_lines(tmp_path: Path) -> None:
    log = SparkLog(tmp_path / "logs")
    assert log.telling_lines() == ""
    log.path.write_text("".join(f"line {number}\n" for number in range(50)))
    assert log.telling_lines().splitlines()[-1] == "line 49"


def test_a_too_long_log_is_deleted(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 3)
    (tmp_path / "spark.log").write_text("long")
    assert not SparkLog(tmp_path).path.exists()
