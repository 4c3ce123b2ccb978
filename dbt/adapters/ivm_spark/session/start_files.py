"""The files that a start of Spark leaves for the next one: a list of jars, a class archive.

Most of a cold start is CPU time of the JVM: Ivy resolves packages that are on disk already, and
Java parses and verifies tens of thousands of classes. So the jars that Ivy found go on the class
path next time, and Java writes the classes of the first run into an archive (class data sharing).

    <cache>/dbt-ivm-spark/
        jars/<key>.json      the jars of a list of packages
        classes/<key>.jsa    the archive for a Java and its jars

Source: Java's documentation, "Class Data Sharing", `VM.cds dynamic_dump`; Spark's, "Runtime
Environment".
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pyspark.find_spark_home import _find_spark_home

from dbt.adapters.ivm_spark.session.cache import cache_folder, digest, write
from dbt.adapters.ivm_spark.session.settings import JARS, JAVA_OPTIONS, PACKAGES, is_local

CLASS_PATH = "spark.driver.extraClassPath"
_RESOLVED_BY = ("spark.jars.repositories", "spark.jars.ivySettings", "spark.jars.excludes")
_VERSION = re.compile(r"-\d[\w.+-]*\.jar$")
_KEPT = 3
"""Archives to keep."""
_MANY = 20_000
"""Classes that Spark has loaded when it has built its first table."""


def with_jars(settings: Mapping[str, str]) -> dict[str, str]:
    """Return settings with the jars of their packages on the class path, if they are known.

    On a cluster the packages stay, since the executors need them too.
    """
    given = dict(settings)
    if not given.get(PACKAGES) or not is_local(given):
        return given
    try:
        jars: dict[str, int] = json.loads(_list_of(given).read_text(encoding="utf-8"))
        known = bool(jars) and all(Path(jar).stat().st_size == size for jar, size in jars.items())
    except (OSError, ValueError):
        return given
    if known:
        del given[PACKAGES]
        before = given.get(CLASS_PATH)
        given[CLASS_PATH] = os.pathsep.join([*jars, *([before] if before else [])])
    return given


def waiting_for(settings: Mapping[str, str]) -> str:
    """Return a sentence that says what a start with these settings waits for."""
    packages = with_jars(settings).get(PACKAGES)
    if packages and is_local(settings):
        return f"Starting Spark. The first time, it fetches {packages}"
    return "Starting Spark"


def note_jars(settings: Mapping[str, str], context: Any) -> None:
    """Note which jars Spark has found for its packages, if the next start can do without Ivy.

    The list leaves out libraries that Spark has itself. Spark searches a package's jars after its
    own, but the class path before them.

    context: the SparkContext that was started with these settings.
    """
    if not settings.get(PACKAGES) or not is_local(settings):
        return
    own = set(settings.get(JARS, "").split(","))
    found = [jar for jar in (context.getConf().get(JARS) or "").split(",") if jar not in own]
    libraries = {_library(path.name) for path in Path(_find_spark_home(), "jars").glob("*.jar")}
    paths = [Path(jar.removeprefix("file://")) for jar in found]
    # Ivy puts the organization before the name.
    jars = [path for path in paths if _library(path.name.split("_", 1)[-1]) not in libraries]
    write(_list_of(settings), json.dumps({str(path): path.stat().st_size for path in jars}))


def with_archive(settings: Mapping[str, str], java: Path) -> tuple[dict[str, str], Path | None]:
    """Return settings under which Java uses the archive of its classes, or gathers one.

    The second value is the archive to write at the end, None if there is one already. Java ignores
    an archive that does not fit.

    java: the path of the Java that Spark runs on.
    """
    archive = _archive_of(settings, java)
    if " " in str(archive) or not is_local(settings):
        return dict(settings), None
    exists = archive.is_file()
    option = f"-XX:SharedArchiveFile={archive}" if exists else "-XX:+RecordDynamicDumpInfo"
    quiet = "-Xshare:auto -Xlog:cds=off -Xlog:cds+dynamic=off -Xlog:class+path=off"
    options = f"{settings.get(JAVA_OPTIONS, '')} {option} {quiet}".strip()
    return {**settings, JAVA_OPTIONS: options}, None if exists else archive


def write_archive(gateway: Any, archive: Path) -> None:
    """Let the JVM write the classes that it has loaded into an archive, once they are many.

    A run that has done nothing yet has loaded too few of them to be of use later.
    """
    classes = gateway.jvm.java.lang.management.ManagementFactory.getClassLoadingMXBean()
    if classes.getLoadedClassCount() < _MANY:
        return
    archive.parent.mkdir(parents=True, exist_ok=True)
    written = archive.with_suffix(f".{os.getpid()}")
    jvm = gateway.jvm
    command = _array(gateway, jvm.java.lang.String, "dynamic_dump", str(written))
    kinds = _array(gateway, jvm.java.lang.String, command.getClass().getName())
    server = jvm.java.lang.management.ManagementFactory.getPlatformMBeanServer()
    name = jvm.javax.management.ObjectName("com.sun.management:type=DiagnosticCommand")
    given = _array(
        gateway,
        jvm.java.lang.Object,
        *(name, "vmCds", _array(gateway, jvm.java.lang.Object, command), kinds),
    )
    # Py4J can't call a method of a class that its module does not export, only the interface's.
    methods = jvm.java.lang.Class.forName("javax.management.MBeanServer").getMethods()
    (invoke,) = (method for method in methods if method.getName() == "invoke")
    try:
        invoke.invoke(server, given)
        written.replace(archive)
    finally:
        with suppress(OSError):
            written.unlink(missing_ok=True)
    by_age = sorted(archive.parent.glob("*.jsa"), key=lambda path: path.stat().st_mtime)
    for old in by_age[:-_KEPT]:
        old.unlink(missing_ok=True)


def _array(gateway: Any, kind: Any, *values: Any) -> Any:
    array = gateway.new_array(kind, len(values))
    for place, value in enumerate(values):
        array[place] = value
    return array


def _library(file: str) -> str:
    """Return the name of a jar's library, without its version."""
    return _VERSION.sub("", file)


def _list_of(settings: Mapping[str, str]) -> Path:
    said = [settings.get(key, "") for key in (PACKAGES, *_RESOLVED_BY)]
    return cache_folder() / "jars" / f"{digest(said)}.json"


def _archive_of(settings: Mapping[str, str], java: Path) -> Path:
    """Return the archive of a Java, its class path, and the options that decide how it loads."""
    paths = settings.get(CLASS_PATH, "").split(os.pathsep)
    options = [o for o in settings.get(JAVA_OPTIONS, "").split() if o.startswith("-X")]
    stamp = _stamp(str(java.resolve()))
    said = [stamp, settings.get(PACKAGES, ""), *options, *map(_stamp, paths)]
    return cache_folder() / "classes" / f"{digest(said)}.jsa"


def _stamp(path: str) -> str:
    try:
        found = Path(path).stat()
    except OSError:
        return path
    return f"{path} {found.st_size} {found.st_mtime_ns}"
