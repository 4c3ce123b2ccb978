from importlib.metadata import PackageNotFoundError, version

import pytest
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ivm_spark.session import installed as module
from dbt.adapters.ivm_spark.session.installed import delta_package


def test_the_coordinates_come_from_the_installed_packages() -> None:
    spark, delta = version("pyspark"), version("delta-spark")
    # Delta's first releases for Spark 4 were for one Spark only.
    suffix = "" if delta.startswith("4.0.") else "_" + ".".join(spark.split(".")[:2])
    assert delta_package() == f"io.delta:delta-spark{suffix}_2.13:{delta}"


def test_a_pair_that_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "version", {"pyspark": "4.1.1", "delta-spark": "4.0.0"}.get)
    monkeypatch.setattr(module, "requires", lambda _: ["pyspark<4.1.0,>=4.0.0"])
    with pytest.raises(DbtRuntimeError, match=r"delta-spark 4.0.0 needs pyspark <4.1.0,>=4.0.0"):
        delta_package()


def test_no_delta(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(module, "version", missing)
    with pytest.raises(DbtRuntimeError, match="pyspark is not installed"):
        delta_package()
