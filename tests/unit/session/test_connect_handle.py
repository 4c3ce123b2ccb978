"""Where Spark Connect is, from a profile."""

from __future__ import annotations

import pytest

from dbt.adapters.ivm_spark.session.connect_handle import connect_url
from dbt.adapters.ivm_spark.session.credentials import IvmSparkCredentials


@pytest.mark.parametrize(
    ("said", "url"),
    [
        ({"host": "spark.example.com"}, "sc://spark.example.com:15002/"),
        ({"host": "h", "port": 443, "use_ssl": True}, "sc://h:443/;use_ssl=true"),
        ({"host": "h", "token": "a;b=c", "user": "me"}, "sc://h:15002/;token=a%3Bb%3Dc;user_id=me"),
        ({"host": "sc://h:1/;x-header=y"}, "sc://h:1/;x-header=y"),
    ],
)
def test_connect_url(said: dict[str, object], url: str) -> None:
    data = {"method": "connect", "schema": "analytics", **said}
    IvmSparkCredentials.validate(data)
    assert connect_url(IvmSparkCredentials.from_dict(data)) == url
