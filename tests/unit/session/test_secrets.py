"""Values of settings that are secret are never in a message."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.session.secrets import is_secret, without_secret


@pytest.mark.parametrize(
    "key",
    [
        "spark.hadoop.fs.s3a.secret.key",
        "spark.hadoop.fs.s3a.access.key",
        "spark.ssl.keyPassword",
        "spark.hadoop.fs.azure.account.oauth2.client.SECRET",
        "spark.databricks.token",
        "my.accessKey",
        "spark.sql.catalog.lake.credential",
    ],
)
def test_the_value_of_a_secret_setting_is_hidden(key: str) -> None:
    assert is_secret(key)
    message = without_secret("Syntax error: set `x`=`s3cret;'`", key, "s3cret;'")
    assert "s3cret" not in message
    assert "Syntax error" in message


@pytest.mark.parametrize("key", ["spark.sql.shuffle.partitions", "spark.app.name"])
def test_the_value_of_another_setting_stays(key: str) -> None:
    assert without_secret("it stays 7", key, "7") == "it stays 7"


def test_an_empty_value_hides_nothing() -> None:
    assert without_secret("no", "password", "") == "no"
