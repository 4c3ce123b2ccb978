"""The request of a run to the planner."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from dbt_common.exceptions import CompilationError

from dbt.adapters.ivm_spark.algebra.catalog import relation_key
from dbt.adapters.ivm_spark.algebra.dialect import is_empty, without_end
from dbt.adapters.ivm_spark.delta.references import ForeignKey
from dbt.adapters.ivm_spark.plan.config import (
    IvmConfig,
    OnChange,
    RefreshPolicy,
    read_config,
)
from dbt.adapters.ivm_spark.plan.constraints import read_references
from dbt.adapters.ivm_spark.plan.reading import FAR_OPERATORS, MAX_OPERATORS
from dbt.adapters.ivm_spark.watermark.build import Build
from dbt.adapters.ivm_spark.watermark.configuration import ConfigError


@dataclass(frozen=True)
class Request:
    """A run's request to refresh one model.

    Attributes:
        sql: the model's compiled SQL.
        view: the quoted name of its view.
        state: the quoted name of its state.
        information: dbt's cached information about an existing view.
        described: the descriptions that the view gets.
        state_exists: there is a state.
        occupied_by: the object in the state's place: a view, or a table that is not Delta's; empty
            without one.
        config: the model's configs.
        full_refresh: the user asks for a rebuild.
        built: the keys of the relations that this run builds.
        hooked: the model has pre-hooks, which may have written into its sources after the run
            pinned them.
        limited: the compiled SQL reads only some of the rows (--empty, --sample), so it is no
            reason to change a state that exists.
        own_query: a rebuild starts from the model's own query, whatever the state was built from.
        reads_state: a rebuild may read the state in place of a part of a changed query.
        limited_before: the state was built from some of the rows only.
        parts: the quoted name of the table in which a build in parts collects them.
        parts_exist: there is such a table: a build has not come to its end.
        resumes: the unfinished build to continue, None for a new one.
        readers: the quoted names of the states of the ivm models that read this one.
        read_by_many: the keys of the relations that many models of this run read.
        references: the foreign keys of the project's constraints that refreshes may rely on.
        far: Spark runs in other processes, where a materialized relation keeps the plan that made
            it.
    """

    sql: str
    view: str
    state: str
    information: str
    described: Any
    state_exists: bool
    occupied_by: str
    config: IvmConfig
    full_refresh: bool
    built: frozenset[str]
    hooked: bool = False
    limited: bool = False
    own_query: bool = False
    reads_state: bool = True
    limited_before: bool = False
    parts: str = ""
    parts_exist: bool = False
    resumes: Build | None = None
    readers: tuple[str, ...] = ()
    read_by_many: frozenset[str] = frozenset()
    references: tuple[ForeignKey, ...] = ()
    far: bool = False

    @property
    def most_operators(self) -> int:
        """Return how many operators the statements of a delta may have."""
        return FAR_OPERATORS if self.far else MAX_OPERATORS

    @property
    def keeps_frozen(self) -> bool:
        """Return whether there may be frozen rows, which any refresh keeps."""
        return self.state_exists and bool(self.config.frozen_where) and not self.limited_before

    @property
    def in_parts(self) -> bool:
        """Return whether the model asks for a rebuild part by part."""
        return bool(self.config.build_by and self.parts) and not self.limited

    @property
    def transacts(self) -> bool:
        """Return whether a transaction of the adapter's own can probably change the state."""
        return not (self.far or self.config.table.partitions)

    @property
    def forgiving(self) -> Request:
        """Return the same request of a run that may rebuild.

        Its plan is the refresh that would run if nothing forbade it.
        """
        config = replace(
            self.config, refresh_policy=RefreshPolicy.INCREMENTAL, on_change=OnChange.APPLY
        )
        return replace(self, config=config)

    @classmethod
    def of_model(
        cls,
        *,
        model: str,
        sql: str,
        view: str,
        state: str,
        information: str,
        described: Any,
        state_exists: bool,
        occupied_by: str,
        config: Mapping[str, Any],
        full_refresh: bool,
        built: Iterable[str],
        limited: bool,
        hooked: bool = False,
        parts: str = "",
        parts_exist: bool = False,
        readers: Iterable[str] = (),
        read_by_many: Iterable[str] = (),
        references: Iterable[Any] = (),
        far: bool = False,
    ) -> Request:
        """Return the request that the macro `ivm_request` makes for a model.

        Raises CompilationError for an invalid config or an empty query.

        Args:
            model: the name for messages.
            sql: the model's compiled SQL.
            view: the quoted name of its view.
            state: the quoted name of its state.
            information: dbt's cached information about the existing view. A model that publishes a
                table has none to compare with.
            described: the descriptions that are persisted on the view.
            state_exists: there is a state.
            occupied_by: the object in the state's place, if it is no Delta table.
            config: all configs of the model.
            full_refresh: the user asks for a rebuild.
            built: the names of the relations that this run builds.
            limited: the SQL reads only some of the rows.
            hooked: the model has pre-hooks.
            parts: the quoted name of the table of the parts of a build.
            parts_exist: there is such a table.
            readers: the states of the ivm models that read it.
            read_by_many: the names of the relations that many models of this run read.
            references: see `relied_on`.
            far: Spark runs in other processes.
        """
        text = without_end(sql)
        if is_empty(text):
            # Spark would read the text as a table's name: DESCRIBE QUERY is DESCRIBE of `query`.
            raise CompilationError(f"Model {model}: it has no query. Write a SELECT.")
        try:
            checked = read_config(config)
            return cls(
                sql=text,
                view=view,
                state=state,
                information="" if checked.publishes else information,
                described=described,
                state_exists=state_exists,
                occupied_by=occupied_by,
                config=checked,
                full_refresh=full_refresh,
                built=frozenset(relation_key(name) for name in built),
                hooked=hooked,
                limited=limited,
                parts=parts,
                parts_exist=parts_exist,
                readers=tuple(readers),
                read_by_many=frozenset(relation_key(name) for name in read_by_many),
                references=read_references(references),
                far=far,
            )
        except ConfigError as error:
            raise CompilationError(f"Model {model}: {error.sentence}") from error
