"""A dbt project's schema as its user sees it: change sources, run dbt, compare views as bags."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from enum import Enum
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from dbt.tests.util import run_dbt
from packaging.version import Version
from pyspark.errors import PySparkException
from pyspark.sql.types import VariantVal

from dbt.adapters.ivm_spark.delta import join
from dbt.adapters.ivm_spark.physical import runtime_filters
from dbt.adapters.ivm_spark.plan import readers, shared_changes
from dbt.adapters.ivm_spark.session import pinned_scan, transaction
from dbt.adapters.ivm_spark.state import rewrite
from dbt.adapters.ivm_spark.watermark.watermark import Watermark, decode

FEED = "tblproperties ('delta.enableChangeDataFeed' = 'true')"
TRACKED = (
    "tblproperties ('delta.enableChangeDataFeed' = 'false', 'delta.enableRowTracking' = 'true')"
)
FINDS_TRACKED = Version(version("pyspark")) >= Version("4.2")
"""Whether Spark finds the changed rows of a table with row tracking and no feed."""


class Warehouse:
    """SQL runs in a session of its own whose schema is the project's, so names need no prefix.

    new_session: makes a session beside dbt's.
    """

    def __init__(self, project: Any, new_session: Callable[[], Any]) -> None:
        self.schema: str = project.test_schema
        self.folder = Path(project.project_root)
        self.new_session = new_session
        self._spark = new_session()
        self._spark.sql(f"create schema if not exists {self.schema}")
        self._spark.sql(f"use {self.schema}")
        self.queries: dict[str, str] = {}

    def sql(self, *statements: str) -> None:
        for statement in statements:
            self._spark.sql(statement)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in self._spark.sql(query).collect()]

    def columns(self, query: str) -> list[tuple[str, str]]:
        fields = self._spark.sql(query).schema.fields
        return [(field.name, field.dataType.simpleString()) for field in fields]

    def dbt(self, *arguments: str, ok: bool | None = True) -> dict[str, Any]:
        """Run dbt; the results by model name. `ok=None` takes success and failure."""
        results = run_dbt([*arguments], expect_pass=ok)
        by_name = {result.node.name: result for result in results}
        self.queries |= {
            n: r.node.compiled_code
            for n, r in by_name.items()
            if getattr(r.node, "compiled_code", None)  # an exposure of a build has none
        }
        return by_name

    def run(self, *models: str, flags: Iterable[str] = ()) -> dict[str, dict[str, Any]]:
        """`dbt run` of the models (all if none), which has to pass; their adapter responses."""
        select = ["--select", *models] if models else []
        results = self.dbt("run", *select, *flags)
        return {name: result.adapter_response for name, result in results.items()}

    def fail(self, *models: str, flags: Iterable[str] = ()) -> dict[str, str]:
        """`dbt run` of the models, each of which has to fail; their messages."""
        results = self.dbt("run", "--select", *models, *flags, ok=False)
        assert {result.status for result in results.values()} == {"error"}, results
        return {name: result.message for name, result in results.items()}

    def drop_by_dbt(self, relation: str) -> None:
        """Drop a relation with the project's macro `drop_model`, as dbt users clean up."""
        run_dbt(["run-operation", "drop_model", "--args", f"name: {relation}"])

    def write(self, model: str, sql: str) -> None:
        """Give a model of the project another text."""
        (self.folder / "models" / f"{model}.sql").write_text(sql)

    def exists(self, relation: str) -> bool:
        return bool(self._spark.catalog.tableExists(f"{self.schema}.{relation}"))

    def history(self, table: str) -> list[dict[str, Any]]:
        """The commits of a table, newest first."""
        return [row.asDict() for row in self._spark.sql(f"describe history {table}").collect()]

    def version(self, table: str) -> int:
        return int(self.history(table)[0]["version"])

    def location(self, table: str) -> Path:
        """The folder of a table."""
        detail = self._spark.sql(f"describe detail {table}").collect()[0]
        return Path(detail["location"].removeprefix("file:"))

    def append_stream(self, source: str, target: str) -> None:
        """Append what is in one table to another as a stream does."""
        arriving = self._spark.readStream.table(source).writeStream.format("delta")
        folder = str(self.folder / f"checkpoint_{target}")
        query = arriving.option("checkpointLocation", folder).trigger(availableNow=True)
        query.toTable(f"{self.schema}.{target}").awaitTermination()

    def watermark(self, model: str) -> Watermark:
        """What the newest commit of the model's state records; it has to record something."""
        watermark = decode(self.history(f"{model}__ivm")[0]["userMetadata"])
        assert watermark is not None
        return watermark

    def recorded(self, model: str) -> dict[str, int]:
        """The recorded version of each source, by the source's bare name."""
        sources = self.watermark(model).sources
        return {
            name.split(".")[-1].strip("`"): watermark.version for name, watermark in sources.items()
        }

    def differences(self, model: str) -> list[str]:
        """What `select *` from the model has that its query has not, and the reverse, counted."""
        shown = bag(self.rows(f"select * from {model}"))
        wanted = bag(self.rows(self.queries[model]))
        extra = [f"{model}: {n} x surplus {row}" for row, n in (shown - wanted).items()]
        return extra + [f"{model}: {n} x missing {row}" for row, n in (wanted - shown).items()]

    def all_differences(self, models: Iterable[str]) -> list[str]:
        """The differences of several models, compared side by side."""
        with ThreadPoolExecutor(3) as pool:
            return [text for found in pool.map(self.differences, models) for text in found]

    def check(self, *models: str) -> None:
        """Each model has to equal its own query on the sources as they are now, as a bag."""
        found = self.all_differences(models)
        assert not found, "\n".join(found)

    def bags(self, model: str) -> Counter[tuple[Any, ...]]:
        return bag(self.rows(f"select * from {model}"))

    def drop(self) -> None:
        with suppress(PySparkException):
            self._spark.sql(f"drop schema {self.schema} cascade")


def models_of(queries: dict[str, str], header: str) -> dict[str, str]:
    """The files of models with these queries, in which @ stands for the project's schema."""
    return {f"{n}.sql": header + q.replace("@", "{{ target.schema }}.") for n, q in queries.items()}


def two_targets(schema: str, target: dict[str, Any]) -> dict[str, Any]:
    """The profile with a target of another name and another schema beside its own."""
    outputs = {
        "default": {**target, "schema": schema},
        "other": {**target, "schema": f"{schema}_other"},
    }
    return {"test": {"outputs": outputs, "target": "default"}}


def bag(rows: Iterable[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
    """Rows with their number of copies. NULL equals NULL and NaN NaN; doubles are compared to
    twelve digits, because the order in which Spark adds them is no part of a query's meaning."""
    return Counter(tuple(_comparable(value) for value in row) for row in rows)


def _comparable(value: Any) -> Any:
    if isinstance(value, float):
        return ("double", f"{value + 0.0:.12g}")
    if isinstance(value, bytearray):
        return ("bytes", bytes(value))
    if isinstance(value, VariantVal):
        return ("variant", value.toJson())
    if isinstance(value, (list, tuple)):
        return tuple(_comparable(part) for part in value)
    if isinstance(value, dict):
        return tuple(sorted((_comparable(k), _comparable(v)) for k, v in value.items()))
    return (type(value).__name__, value)


def kinds(responses: dict[str, dict[str, Any]]) -> dict[str, str]:
    """The kind of refresh of each model that has one."""
    return {n: r["refresh_kind"] for n, r in responses.items() if "refresh_kind" in r}


def reasons(responses: dict[str, dict[str, Any]]) -> dict[str, str]:
    """The reason code of each model that was refreshed for one."""
    return {n: r["reason"]["code"] for n, r in responses.items() if r.get("reason")}


@contextmanager
def by_statements(wanted: bool = True) -> Iterator[None]:
    """In the embedded Spark, refresh by statements instead of transactions of the adapter's own.

    wanted: False changes nothing.
    """
    with pytest.MonkeyPatch.context() as patch:
        if wanted:
            patch.setattr(transaction, "_is_plain", lambda snapshot: False)
        yield


@contextmanager
def as_if_large(wanted: bool = True) -> Iterator[None]:
    """In the embedded Spark, treat states and sources of any size as large ones.

    Changed rows are exchanged, a rebuild takes its files' statistics from their footers, and a
    source that is large is joined once, if it may be.

    wanted: False changes nothing.
    """
    with pytest.MonkeyPatch.context() as patch:
        if wanted:
            patch.setattr(rewrite, "MOST_ROWS", 0)
            patch.setattr(transaction, "FOOTER_ROWS", 0)
            patch.setattr(join, "FACTOR_ROWS", 1)
        yield


@contextmanager
def files_pruned(wanted: bool = True) -> Iterator[None]:
    """In the embedded Spark, read of a source that joins a change only files with its keys.

    wanted: False changes nothing.
    """
    with pytest.MonkeyPatch.context() as patch:
        if wanted:
            patch.setattr(runtime_filters, "BIG_ROWS", 1)
            patch.setattr(pinned_scan, "_are_few", lambda _: False)
        yield


class Feeds(Enum):
    """How the models of a run read the feed of a source."""

    APART = "each by itself"
    IN_DRIVER = "all from the same rows, which the driver keeps"
    STORED = "all from the same rows, which a statement stores"


@contextmanager
def feeds_read(how: Feeds) -> Iterator[None]:
    """Read feeds that way, however many models and rows there are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(readers, "MANY_READERS", 10**9 if how is Feeds.APART else 1)
        if how is Feeds.STORED:
            patch.setattr(shared_changes, "FEW_ROWS", -1)
        yield


@contextmanager
def in_turn(place: int) -> Iterator[None]:
    """Change states by statements, by exchanges of rows and by rewrites, as runs are counted, and
    read feeds in each of the ways, and sources whole or by the files that a change meets."""
    feeds = list(Feeds)[(place + place // 3) % 3]
    with (
        by_statements(place % 3 == 0),
        as_if_large(place % 3 < 2),
        feeds_read(feeds),
        files_pruned(place % 2 == 1),
    ):
        yield
