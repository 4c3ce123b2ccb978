"""The adapter: what dbt and its macros call."""

from __future__ import annotations

import time
from collections.abc import Set
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any

from dbt.adapters.__about__ import version as base_version
from dbt.adapters.base.impl import FreshnessResponse
from dbt.adapters.base.meta import available
from dbt.adapters.base.relation import AdapterTrackingRelationInfo
from dbt.adapters.capability import Capability, CapabilityDict, CapabilitySupport, Support
from dbt.adapters.contracts.connection import AdapterResponse
from dbt.adapters.contracts.relation import RelationConfig
from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.spark.impl import SparkConfig
from dbt.flags import get_flags
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ivm_spark.__version__ import version
from dbt.adapters.ivm_spark.commands.changes.feed_reader import FeedReader
from dbt.adapters.ivm_spark.commands.changes.tested import PassedTests
from dbt.adapters.ivm_spark.commands.current.current_reader import CurrentReader
from dbt.adapters.ivm_spark.commands.doctor.doctor import Doctor
from dbt.adapters.ivm_spark.commands.doctor.examiner import Checks, Examiner
from dbt.adapters.ivm_spark.commands.doctor.parents import parents_of
from dbt.adapters.ivm_spark.commands.explain.compiled import called, compiled
from dbt.adapters.ivm_spark.commands.explain.explainer import Explainer
from dbt.adapters.ivm_spark.commands.explain.refresh_log import RefreshLog
from dbt.adapters.ivm_spark.commands.report.reporter import Project, Reporter
from dbt.adapters.ivm_spark.commands.verify.comparison import Comparison
from dbt.adapters.ivm_spark.commands.verify.verifier import Verifier
from dbt.adapters.ivm_spark.physical.file_pruning import FileKeys
from dbt.adapters.ivm_spark.plan.constraints import relied_on
from dbt.adapters.ivm_spark.plan.parts import commits_of_parts
from dbt.adapters.ivm_spark.plan.readers import read_by_many, readers
from dbt.adapters.ivm_spark.plan.shared_changes import SharedChanges
from dbt.adapters.ivm_spark.refresh.progress import Progress
from dbt.adapters.ivm_spark.refresh.refresher import Refresher
from dbt.adapters.ivm_spark.refresh.response import IvmAdapterResponse
from dbt.adapters.ivm_spark.refresh.summary import Refreshed, summary
from dbt.adapters.ivm_spark.session.any_catalog import AnyCatalogAdapter
from dbt.adapters.ivm_spark.session.connections import IvmSparkConnectionManager
from dbt.adapters.ivm_spark.session.credentials import ConnectionMethod
from dbt.adapters.ivm_spark.session.garbage import collect_as_before, collect_rarely
from dbt.adapters.ivm_spark.session.installed import check_sqlglot
from dbt.adapters.ivm_spark.session.literals import sql_literal
from dbt.adapters.ivm_spark.source.pins import Pins
from dbt.adapters.ivm_spark.source.reader import SourceReader
from dbt.adapters.ivm_spark.state.rewrite import Replacement
from dbt.adapters.ivm_spark.watermark.build import is_of_parts
from dbt.adapters.ivm_spark.watermark.shown import PROPERTY, mark_in

DEFAULT_FILE_FORMAT = "delta"
logger = AdapterLogger("IvmSpark")
_NEED_SPARK = frozenset(
    {
        *("build", "clone", "compile", "freshness", "generate", "retry", "run", "run-operation"),
        *("seed", "show", "snapshot", "test"),
    }
)
"""The commands of dbt that open a connection."""


def _say_phase(model: str, what: str, seconds: float) -> None:
    """Say what a long refresh of a model is doing."""
    logger.info("{}: {} ({} s so far)", model.split(".")[-1], what, f"{seconds:.0f}")


@dataclass
class IvmSparkConfig(SparkConfig):
    """The configs of models that this adapter adds to dbt-spark's or redefines."""

    file_format: str = DEFAULT_FILE_FORMAT
    refresh_policy: str | None = None
    change_threshold: float | None = None
    emit_changes: bool | None = None
    publish: str | None = None
    on_query_change: str | None = None
    primary_keys: dict[str, list[str]] | None = None
    foreign_keys: dict[str, dict[str, list[str]]] | None = None
    deterministic_functions: list[str] | str | None = None
    liquid_clustered_by: list[str] | str | None = None
    tblproperties: dict[str, str] | None = None


class IvmSparkAdapter(AnyCatalogAdapter):
    """dbt-spark for Delta tables, with `materialized='ivm'`."""

    ConnectionManager = IvmSparkConnectionManager
    AdapterSpecificConfigs = IvmSparkConfig
    _capabilities = CapabilityDict(
        {Capability.TableLastModifiedMetadata: CapabilitySupport(support=Support.Full)}
    )

    def __init__(self, config: Any, mp_context: Any) -> None:
        super().__init__(config, mp_context)
        collect_rarely()
        check_sqlglot()
        self._start_early(config.credentials)
        self._pins = Pins()
        self._changes = SharedChanges(self._kept if self._is_embedded else None)
        self._refreshes: list[Refreshed] = []
        self._of_run: dict[str, Any] | None = None

    @property
    def _is_embedded(self) -> bool:
        """Return whether Spark's driver can be reached from this process, without a server."""
        return bool(self.config.credentials.method == ConnectionMethod.SESSION)

    @staticmethod
    def _start_early(credentials: Any) -> None:
        """Start Spark while dbt reads the project, if the command will need it."""
        if credentials.method != ConnectionMethod.SESSION:
            return
        if getattr(get_flags(), "WHICH", None) in _NEED_SPARK:
            from dbt.adapters.ivm_spark.session.spark import start_early

            start_early(
                credentials.server_side_parameters,
                credentials.keep_seconds,
                credentials.class_archive,
            )

    @available
    def ivm_of_run(self, found: dict[str, Any] | None = None) -> dict[str, Any] | None:
        """Return what the macro of that name found once for a run; None until it has.

        found: what to remember for all models of the run. dbt makes one adapter a run.
        """
        if found is not None:
            self._of_run = found
        return self._of_run

    @available
    @staticmethod
    def ivm_readers(nodes: dict[str, Any]) -> dict[str, list[str]]:
        """Return the ivm models that read each node or source of dbt's graph, by unique id."""
        return readers(nodes)

    @available
    @staticmethod
    def ivm_read_by_many(readers: dict[str, list[str]], selected: list[str]) -> list[str]:
        """Return the nodes and sources that many ivm models of a run read, by unique id."""
        return read_by_many(readers, selected)

    @available
    @staticmethod
    def ivm_references(nodes: dict[str, Any], sources: dict[str, Any]) -> list[Any]:
        """Return the foreign keys of a project's constraints to rely on; see `relied_on`."""
        return relied_on(nodes, sources, called)

    @available
    def ivm_is_far(self) -> bool:
        """Return whether Spark runs a query in other processes than this one."""
        if not self._is_embedded:
            return True
        from dbt.adapters.ivm_spark.session.spark import has_executors

        return has_executors()

    @available
    def ivm_refresher(self, **request: Any) -> Refresher:
        """Return the refresh of one model, for the materialization; see `Refresher.for_model`."""
        embedded = self._is_embedded
        return Refresher.for_model(
            self._rows_of,
            self._pins,
            self._changes,
            change=self._changed if embedded else None,
            store=self._stored if embedded else None,
            pin=self._pinned if embedded else None,
            progress=Progress(partial(_say_phase, str(request["model"]))),
            **request,
        )

    @available
    def ivm_response(self, refresher: Refresher) -> IvmAdapterResponse:
        """Return what run_results.json and the console say of a refresh."""
        self._refreshes.append(refresher.refreshed)
        return IvmAdapterResponse.of(refresher)

    @available
    def ivm_explainer(self, **request: Any) -> Explainer:
        """Explain one model, for the macro `ivm_explain`; see `Explainer.for_model`."""
        return Explainer.for_model(self._rows_of, self._pins, **request)

    @available
    def ivm_compiled(self, unique_id: str) -> str:
        """Return a model's SQL as a run would compile it; see `compiled`."""
        return compiled(self.config, self.get_macro_resolver(), unique_id)

    @available
    def ivm_refresh_log(self) -> RefreshLog:
        """Return the log of refreshes, for the macros of `ivm_refreshes`."""
        return RefreshLog(self._rows_of)

    @available
    def ivm_feed(self) -> FeedReader:
        """Return a reader of the changes of ivm models, for the macro `ivm_changes`."""
        return FeedReader(self._rows_of)

    @available
    def ivm_tests(self) -> PassedTests:
        """Return what knows how far tests of changed rows have come."""
        return PassedTests(self._rows_of)

    @available
    def ivm_current(self) -> CurrentReader:
        """Return what makes queries of views as they would be now, for the macro `ivm_current`."""
        return CurrentReader(self._rows_of)

    @available
    def ivm_comparison(self, unique_id: str, **asked: Any) -> Comparison:
        """Return what the test `equals_its_query` compares; see `Verifier.comparison`.

        That is the model's view and its query at the recorded versions.
        """
        sql = self.ivm_compiled(unique_id)
        return Verifier(self._rows_of).comparison(sql=sql, **asked)

    @available
    def ivm_doctor(
        self,
        relations: list[dict[str, Any]],
        keys: bool,
        drift: bool,
        sample: float | None,
        layout: bool = False,
    ) -> Doctor:
        """Return the doctor, for the macro `ivm_doctor`.

        relations: all that the project knows.
        """
        return Doctor(
            self._examiner(relations, Checks(bool(keys), bool(drift), bool(layout), sample))
        )

    @available
    def ivm_reporter(self, relations: list[dict[str, Any]]) -> Reporter:
        """Return the writer of the page, for the macro `ivm_report`.

        relations: all that the project knows.
        """
        project = Project(
            self.config.project_name,
            Path(self.config.project_root),
            self.config.target_path,
        )
        examiner = self._examiner(relations, Checks())
        return Reporter(examiner, SourceReader(self._rows_of), project, _now())

    def _examiner(self, relations: list[dict[str, Any]], checks: Checks) -> Examiner:
        def differences(comparison: Comparison) -> str:
            return str(self.execute_macro("ivm_differences_sql", kwargs={"comparison": comparison}))

        parents = parents_of(relations)
        return Examiner(self._rows_of, Pins(), differences, parents, checks, _now())

    @classmethod
    def quote(cls, identifier: str) -> str:
        """Return a name in backticks; unlike dbt-spark, double the backticks in the name."""
        # dbt itself quotes a database of None.
        return "`" + str(identifier).replace("`", "``") + "`"

    def calculate_freshness_from_metadata(
        self, source: Any, macro_resolver: Any = None
    ) -> tuple[AdapterResponse | None, FreshnessResponse]:
        """Return when a source was last changed, by the time of its newest commit.

        dbt calls this for a source with `freshness` that has no `loaded_at_field`.
        """
        reader = SourceReader(self._rows_of)
        changed, now = reader.last_changed(source.full_name), reader.now() / 1_000_000
        if changed is None:
            raise DbtRuntimeError(
                f"Nothing records when source {source} was last changed: it is no table of Delta "
                "or Iceberg, or has no commit yet. Set its loaded_at_field."
            )
        return None, {
            "max_loaded_at": datetime.fromtimestamp(changed / 1000, timezone.utc),
            "snapshotted_at": datetime.fromtimestamp(now, timezone.utc),
            "age": now - changed / 1000,
        }

    def drop_relation(self, relation: Any) -> None:
        """Drop a relation and, with what an ivm model shows, its state, which nobody else uses.

        The parts of an unfinished build go with the state.
        """
        state = self.ivm_state_of(relation)
        super().drop_relation(relation)  # type: ignore[no-untyped-call]
        if state is None:
            return
        named: Any = self.execute_macro("ivm_parts_relation", kwargs={"state": state})
        parts = self._found(named)
        super().drop_relation(state)  # type: ignore[no-untyped-call]
        if parts is not None and is_of_parts(commits_of_parts(self._rows_of, parts.full_name)):
            super().drop_relation(parts)  # type: ignore[no-untyped-call]

    @available
    def ivm_drop_shown(self, relation: Any) -> None:
        """Drop what an ivm model's view or table is to replace; its state stays."""
        super().drop_relation(relation)  # type: ignore[no-untyped-call]

    @available
    def ivm_state_of(self, relation: Any) -> Any:
        """Return the state of an ivm model's view or published table.

        None if the relation is neither, or the state does not exist.
        """
        shown = self._found(relation)
        named: Any = self.execute_macro("ivm_state_relation", kwargs={"relation": relation})
        state = self._found(named)
        if shown is None or state is None or not self._is_of_ivm(shown):
            return None
        return state

    def _found(self, relation: Any) -> Any:
        return self.get_relation(relation.database, relation.schema, relation.identifier)

    def _is_of_ivm(self, shown: Any) -> bool:
        """Return whether a relation is the view or the published table of an ivm model."""
        if mark_in(shown.information or ""):
            return True
        if shown.is_view or not shown.is_delta:
            return False
        # dbt's cache has the properties of views only.
        properties = self._rows_of(f"show tblproperties {shown.full_name}")
        return any(row["key"] == PROPERTY for row in properties)

    @available
    @staticmethod
    def ivm_literal(text: str) -> str:
        """Return any text as a literal: a description, a property, a path."""
        return sql_literal(str(text))

    @property
    def _handle(self) -> Any:
        """Return the handle of this thread's connection."""
        return self.connections.get_thread_connection().handle

    def _rows_of(self, sql: str) -> list[dict[str, Any]]:
        """Send a statement and return its rows as Spark gives them, by column name.

        Some statements need not be sent. For DESCRIBE HISTORY and DESCRIBE TABLE, the rows then
        have only the parts that the adapter uses.
        """
        handle = self._handle
        known: list[dict[str, Any]] | None = handle.known(sql) if hasattr(handle, "known") else None
        if known is not None:
            return known
        if sql.split(maxsplit=1)[0].lower() not in ("set", "reset"):
            # In SET and RESET, a comment would be part of the value.
            sql = self.connections._add_query_comment(sql)
        with self.connections.exception_handler(sql):
            _, cursor = self.connections.add_query(sql, auto_begin=False)
            names = [column[0] for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall() or ()]

    def _changed(self, sql: str, replacement: Replacement) -> list[dict[str, Any]]:
        """Run the replacement of a statement, or the statement, and return its rows.

        Only a session of this process has replacements.
        """
        with self._handle.replacing(replacement):
            return self._rows_of(sql)

    def _stored(self, sql: str) -> None:
        """Run a statement that materializes a relation of few rows, or do without it.

        Only a session of this process does without it.
        """
        with self._handle.storing_few():
            self._rows_of(sql)

    def _kept(self, name: str, sql: str) -> bool:
        """Keep the rows of a query in the driver, as a view that all sessions of Spark see.

        Return whether that was done. Only a session of this process can.
        """
        return bool(self._handle.keep_few(name, sql))

    def _pinned(
        self, name: str, relation: str, version: int, keys: FileKeys | None, restricted: Set[str]
    ) -> bool:
        """Make a temporary view of a Delta table's rows at its newest version; whether it did.

        Only a session of this process can.
        """
        return bool(self._handle.pin_scan(name, relation, version, keys, restricted))

    def cleanup_connections(self) -> None:
        """Log the summary of the run's refreshes, and close its connections.

        Before that, drop the changes that its models shared.
        """
        refreshes, self._refreshes = self._refreshes, []
        for template, values in summary(refreshes):
            logger.info(template, *values)
        if self._changes.any_materialized:
            with self.connection_named("ivm_shared_changes"):
                self._changes.drop(self._rows_of)
        super().cleanup_connections()
        collect_as_before()

    def pre_model_hook(self, config: Any) -> None:
        """Make Delta the file format of a node that names none.

        dbt-spark's macros ask `config.get('file_format')` in many places, each with its own
        default. dbt calls this with the node's config before it runs a model, seed, snapshot,
        test or clone, so setting it here reaches all of them.
        """
        if config.model is not None and config.get("file_format") is None:
            config.model.config["file_format"] = DEFAULT_FILE_FORMAT

    @classmethod
    def get_adapter_run_info(cls, config: RelationConfig) -> AdapterTrackingRelationInfo:
        """Return dbt's telemetry record.

        The inherited method would import a module named after this class.
        """
        return AdapterTrackingRelationInfo(  # type: ignore[abstract]  # dbt builds it too
            adapter_name=cls.type(),
            base_adapter_version=base_version,
            adapter_version=version,
            model_adapter_details=cls._get_adapter_specific_run_info(config),
        )


def _now() -> int:
    return round(time.time() * 1000)
