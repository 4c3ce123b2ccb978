"""Classes of Java that a test Spark loads."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pyspark

HAS_COMPILER = shutil.which("javac") is not None
"""Whether there is a JDK; a JRE can't compile them."""


def compiled(source: Path, folder: Path, *needed: Path) -> Path:
    """The jar of a source file, which needs Spark's jars and others."""
    classes, jar = folder / source.stem, folder / f"{source.stem}.jar"
    paths = [f"{Path(pyspark.__file__).parent / 'jars'}/*", *map(str, needed)]
    subprocess.run(
        ["javac", "-nowarn", "-cp", ":".join(paths), "-d", str(classes), str(source)],
        check=True,
        capture_output=True,
    )
    subprocess.run(["jar", "cf", str(jar), "-C", str(classes), "."], check=True)
    return jar
