"""The comparison that Delta makes after a commit outside UTC, left out where it can find nothing.

Delta writes the files of a small table into the checksum of each version. If the session or the JVM
has another time zone than UTC, it then computes them once more from the whole log, in Spark jobs,
and compares: a timestamp from before 1883 may have another text there. A table without timestamps
has no such text.

Source: Delta's `Snapshot.allFilesInCrcVerificationForceEnabled`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from pyspark.sql import SparkSession

from dbt.adapters.ivm_spark.session.setting import set_for_now

_COMPARED = "spark.databricks.delta.allFilesInCrc.verificationMode.forceOnNonUTC.enabled"
_WITHOUT_TIME = re.compile(
    r"binary|boolean|byte|date|decimal\(\d+,-?\d+\)|double|float|integer|long|short|string"
)


def compared_if_needed(
    session: SparkSession, fields: Iterable[Mapping[str, Any]]
) -> AbstractContextManager[None]:
    """Let Delta commit without the comparison, if a table certainly has no timestamps.

    If the user has set whether Delta compares, that stays.

    Args:
        session: of this process, not of a server.
        fields: of the table, in the form of Spark's JSON.
    """
    chosen = session.conf.get(_COMPARED, None) is not None
    if chosen or not all(_has_no_time(field["type"]) for field in fields):
        return nullcontext()
    return set_for_now(session, {_COMPARED: "false"})


def _has_no_time(said: Any) -> bool:
    return isinstance(said, str) and _WITHOUT_TIME.fullmatch(said) is not None
