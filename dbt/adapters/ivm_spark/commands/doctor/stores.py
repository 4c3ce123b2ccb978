"""Whether a table's store keeps the commits of two Spark drivers apart. Pure.

Only stores that are known to are safe.

Source: Delta's documentation, "Storage configuration"; its class DelegatingLogStore.
"""

from __future__ import annotations

from collections.abc import Mapping

_SAFE = frozenset({"file", "hdfs", "viewfs", "abfs", "abfss", "adl", "wasb", "wasbs", "gs"})
"""Schemes whose default log store is safe."""
_SAFE_ON_S3 = "io.delta.storage.S3DynamoDBLogStore"
_S3 = frozenset({"s3", "s3a", "s3n"})


def unsafe_scheme(location: str, settings: Mapping[str, str]) -> str:
    """Return the scheme of a table's location if two drivers can lose commits there.

    Empty if they can't.

    Args:
        location: of the table, as DESCRIBE DETAIL has it.
        settings: of the session.
    """
    scheme, colon, _ = location.partition(":")
    scheme = scheme.lower() if colon else "file"
    if scheme in _SAFE:
        return ""
    store = settings.get(f"spark.delta.logStore.{scheme}.impl", "")
    return "" if store and (store == _SAFE_ON_S3 or scheme not in _S3) else scheme


def remedy_for(scheme: str) -> str:
    """Return what makes an unsafe scheme safe."""
    store = _SAFE_ON_S3 if scheme in _S3 else "a log store of Delta's for it"
    return (
        f"write each table from one Spark driver at a time, or set "
        f"spark.delta.logStore.{scheme}.impl to {store} for all drivers"
    )
