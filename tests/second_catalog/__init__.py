"""A catalog of Delta tables beside Spark's own, compiled for the test Spark: `second`."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pyspark

SOURCE = Path(__file__).parent / "SecondCatalog.java"
HAS_COMPILER = shutil.which("javac") is not None
"""Whether there is a JDK; a JRE can't compile the catalog."""


def settings(folder: Path) -> dict[str, str]:
    """Spark's settings for the catalog `second`, whose class is compiled into a folder."""
    if not HAS_COMPILER:
        return {}
    classes, jar = folder / "classes", folder / "second.jar"
    jars = Path(pyspark.__file__).parent / "jars"
    subprocess.run(
        ["javac", "-nowarn", "-cp", f"{jars}/*", "-d", str(classes), str(SOURCE)],
        check=True,
        capture_output=True,
    )
    subprocess.run(["jar", "cf", str(jar), "-C", str(classes), "."], check=True)
    return {
        "spark.jars": str(jar),
        "spark.sql.catalog.second": "ivmtests.SecondCatalog",
    }
