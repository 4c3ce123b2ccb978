"""A catalog of Delta tables beside Spark's own, compiled for the test Spark: `second`."""

from __future__ import annotations

from pathlib import Path

from tests.compiled import HAS_COMPILER, compiled

SOURCE = Path(__file__).parent / "SecondCatalog.java"


def settings(folder: Path) -> dict[str, str]:
    """Spark's settings for the catalog `second`, whose class is compiled into a folder."""
    if not HAS_COMPILER:
        return {}
    return {
        "spark.jars": str(compiled(SOURCE, folder)),
        "spark.sql.catalog.second": "ivmtests.SecondCatalog",
    }
