from pathlib import Path

import pytest

from dbt.adapters.ivm_spark.session.settings import (
    CATALOG,
    DELTA_CATALOG,
    DELTA_EXTENSION,
    EXTENSIONS,
    JARS,
    JAVA_OPTIONS,
    METASTORE,
    METASTORE_SERVICE,
    PACKAGES,
    needs_delta_package,
    spark_defaults,
    spark_settings,
)

LOGS = Path("/logs")
PACKAGE = "io.delta:delta-spark_4.1_2.13:4.3.1"


def test_the_defaults_start_a_local_spark_with_delta() -> None:
    settings = spark_settings({}, PACKAGE, LOGS)
    assert settings[PACKAGES] == PACKAGE
    assert settings[EXTENSIONS] == DELTA_EXTENSION
    assert settings[CATALOG] == DELTA_CATALOG
    assert settings["spark.master"] == "local[*]"
    assert settings["spark.ui.showConsoleProgress"] == "false"
    assert settings[JAVA_OPTIONS].startswith("-Dderby.stream.error.file=/logs/derby.log -XX:Tier4")


@pytest.mark.parametrize("master", ["local", "local[2]", "local[2,4]"])
def test_a_local_master_keeps_the_laptops_settings(master: str) -> None:
    settings = spark_settings({"spark.master": master}, PACKAGE, LOGS)
    assert settings["spark.master"] == master
    assert settings["spark.sql.shuffle.partitions"] == ("8" if master == "local" else "16")


def test_a_cluster_gets_no_laptop_settings() -> None:
    settings = spark_settings({"spark.master": "spark://host:7077"}, PACKAGE, LOGS)
    assert settings["spark.master"] == "spark://host:7077"
    laptops = {
        "spark.driver.memory",
        "spark.sql.shuffle.partitions",
        "spark.sql.files.openCostInBytes",
        "spark.driver.host",
    }
    assert not laptops & set(settings)


@pytest.mark.parametrize(
    ("user", "hurries"),
    [
        ({}, True),
        ({METASTORE: "jdbc:derby:memory:x"}, True),
        ({METASTORE: "jdbc:postgresql://db/metastore"}, False),
        ({METASTORE_SERVICE: "thrift://metastore:9083"}, False),
    ],
)
def test_only_an_embedded_metastore_is_retried_at_once(user: dict[str, str], hurries: bool) -> None:
    settings = spark_settings(user, PACKAGE, LOGS)
    assert ("spark.hadoop.hive.hmshandler.retry.interval" in settings) is hurries


def test_the_users_settings_win_and_lists_are_joined() -> None:
    user = {
        "spark.ui.enabled": "true",
        "spark.driver.memory": "9g",
        PACKAGES: "org.example:thing:1",
        EXTENSIONS: "org.example.Extension",
        JAVA_OPTIONS: "-Dx=y",
    }
    settings = spark_settings(user, PACKAGE, LOGS)
    assert settings["spark.ui.enabled"] == "true"
    assert settings["spark.driver.memory"] == "9g"
    assert settings[PACKAGES] == f"org.example:thing:1,{PACKAGE}"
    assert settings[EXTENSIONS] == f"org.example.Extension,{DELTA_EXTENSION}"
    assert settings[JAVA_OPTIONS].startswith("-Dderby.stream.error.file=/logs/derby.log ")
    assert settings[JAVA_OPTIONS].endswith(" -Dx=y"), "the user's options come last, so they win"


def test_the_users_own_delta_is_not_added_to() -> None:
    assert needs_delta_package({})
    assert needs_delta_package({PACKAGES: "org.example:thing:1"})
    assert not needs_delta_package({PACKAGES: "io.delta:delta-spark_2.13:4.0.0"})
    assert not needs_delta_package({JARS: "/opt/delta-spark_4.1_2.13-4.3.1.jar"})
    settings = spark_settings({EXTENSIONS: DELTA_EXTENSION}, None, LOGS)
    assert settings[EXTENSIONS] == DELTA_EXTENSION
    assert PACKAGES not in settings


def test_a_log_folder_with_spaces_is_not_put_into_java_options() -> None:
    assert "/my logs" not in spark_settings({}, None, Path("/my logs"))[JAVA_OPTIONS]


def test_spark_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "spark-defaults.conf").write_text(
        "# comment\n\nspark.master   spark://host:7077\nspark.a=b c\nbroken\n"
    )
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert spark_defaults() == {"spark.master": "spark://host:7077", "spark.a": "b c"}


def test_no_spark_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPARK_CONF_DIR", raising=False)
    monkeypatch.delenv("SPARK_HOME", raising=False)
    assert spark_defaults() == {}


@pytest.mark.parametrize(
    ("master", "user", "stops"),
    [
        ("local[2]", "", True),
        ("local[8]", "", False),
        ("local[2]", "-XX:+UseG1GC", False),
        ("local[1]", "-XX:+UseStringDeduplication", True),
    ],
)
def test_few_cores_get_no_concurrent_collector_unless_the_user_names_one(
    master: str, user: str, stops: bool
) -> None:
    settings = spark_settings({"spark.master": master, JAVA_OPTIONS: user}, None, Path("/logs"))
    assert ("-XX:+UseParallelGC" in settings[JAVA_OPTIONS]) == stops


def test_a_cluster_gets_no_options_of_java() -> None:
    settings = spark_settings({"spark.master": "yarn"}, None, Path("/logs"))
    assert "-XX" not in settings[JAVA_OPTIONS]
