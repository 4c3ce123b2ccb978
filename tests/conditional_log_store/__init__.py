"""A log store for S3 that several drivers may write at once, compiled for the test Sparks.

Delta's own one keeps its locks in DynamoDB, and can reach no server but Amazon's.
"""

from __future__ import annotations

import subprocess
from importlib.metadata import version
from pathlib import Path

from tests.compiled import compiled

SOURCE = Path(__file__).parent / "ConditionalLogStore.java"


def settings(folder: Path) -> dict[str, str]:
    """Spark's settings for the log store, whose class is compiled into a folder."""
    storage = f"io.delta:delta-storage:{version('delta-spark')}"
    copy = f"mvn -q -B dependency:copy -Dartifact={storage} -DoutputDirectory={folder}"
    subprocess.run(copy.split(), check=True, capture_output=True)
    (needed,) = folder.glob("delta-storage-*.jar")
    return {
        "spark.jars": str(compiled(SOURCE, folder, needed)),
        "spark.delta.logStore.s3a.impl": "ivmtests.ConditionalLogStore",
    }
