"""What a run asks of the planner."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from dbt_common.exceptions import CompilationError

from dbt.adapters.ivm_spark.algebra.catalog import relation_key
from dbt.adapters.ivm_spark.algebra.dialect import is_empty, without_end
from dbt.adapters.ivm_spark.plan.config import (
    IvmConfig,
    OnChange,
    RefreshPolicy,
    read_config,
)
from dbt.adapters.ivm_spark.watermark.configuration import ConfigError


@dataclass(frozen=True)
class Request:
    """What a run asks for: the model's compiled SQL, the quoted names of its view and state,
    what dbt's cache says of an existing view, the descriptions that it is to carry, whether there
    is a state, what stands in its place (a view, or no Delta table), its configs, and the keys of
    the relations that this run builds.

    hooked: the model has pre-hooks, which may have written into its sources after the run pinned
    them; limited: the compiled SQL reads only some of the rows (--empty, --sample), so it is no
    reason to change a state that exists; readers: quoted names of the states of the ivm models
    that read this one.
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
    readers: tuple[str, ...] = ()

    @property
    def forgiving(self) -> Request:
        """The same of a run that may rebuild: what would be done if nothing forbade it."""
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
        readers: Iterable[str] = (),
    ) -> Request:
        """What the macro `ivm_request` says of a model.

        model: the name for messages; view, state: quoted names; built: names of the relations
        that this run builds; information: what dbt's cache has of the existing view; occupied_by:
        what stands in the state's place that is no Delta table; described: the
        descriptions that are persisted on the view; hooked: the model has pre-hooks; limited: the
        SQL reads only some of the rows; readers: states of the ivm models that read it. Raises
        CompilationError for a config or query that is refused.
        """
        text = without_end(sql)
        if is_empty(text):
            # Spark would take the text for a table's name: DESCRIBE QUERY is DESCRIBE of `query`.
            raise CompilationError(f"Model {model}: it has no query. Write a SELECT.")
        try:
            return cls(
                sql=text,
                view=view,
                state=state,
                information=information,
                described=described,
                state_exists=state_exists,
                occupied_by=occupied_by,
                config=read_config(config),
                full_refresh=full_refresh,
                built=frozenset(relation_key(name) for name in built),
                hooked=hooked,
                limited=limited,
                readers=tuple(readers),
            )
        except ConfigError as error:
            raise CompilationError(f"Model {model}: {error}.") from error
