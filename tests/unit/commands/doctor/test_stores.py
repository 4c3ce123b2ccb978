"""Which stores keep the commits of two drivers apart."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.commands.doctor.stores import remedy_for, unsafe_scheme

DYNAMO = "io.delta.storage.S3DynamoDBLogStore"


@pytest.mark.parametrize(
    ("location", "settings", "unsafe"),
    [
        ("file:/tmp/w/t", {}, ""),
        ("/tmp/w/t", {}, ""),
        ("hdfs://n/w/t", {}, ""),
        ("abfss://c@a.dfs.core.windows.net/t", {}, ""),
        ("gs://b/t", {}, ""),
        ("s3a://b/t", {}, "s3a"),
        ("S3://b/t", {}, "s3"),
        ("s3a://b/t", {"spark.delta.logStore.s3a.impl": DYNAMO}, ""),
        ("s3://b/t", {"spark.delta.logStore.s3a.impl": DYNAMO}, "s3"),
        (
            "s3a://b/t",
            {"spark.delta.logStore.s3a.impl": "io.delta.storage.S3SingleDriverLogStore"},
            "s3a",
        ),
        ("oss://b/t", {}, "oss"),
        (
            "oci://b/t",
            {"spark.delta.logStore.oci.impl": "io.delta.storage.OracleCloudLogStore"},
            "",
        ),
    ],
)
def test_only_known_stores_are_safe(location: str, settings: dict[str, str], unsafe: str) -> None:
    assert unsafe_scheme(location, settings) == unsafe


def test_the_remedy_names_the_setting() -> None:
    assert f"spark.delta.logStore.s3a.impl to {DYNAMO}" in remedy_for("s3a")
    assert "spark.delta.logStore.oss.impl" in remedy_for("oss")
