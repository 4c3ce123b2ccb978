"""The findings about a view and its sources, on which a refresh is decided.

They also explain the decision.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.catalog import Catalog, relation_key
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts
from dbt.adapters.ivm_spark.plan.change import Derivation
from dbt.adapters.ivm_spark.plan.clock import Clock
from dbt.adapters.ivm_spark.plan.reading import Reading
from dbt.adapters.ivm_spark.source.version_range import Head
from dbt.adapters.ivm_spark.state.frozen import Frozen
from dbt.adapters.ivm_spark.state.layout import Layout
from dbt.adapters.ivm_spark.state.visible import visible, visible_stored
from dbt.adapters.ivm_spark.watermark.configuration import Alteration, Configuration
from dbt.adapters.ivm_spark.watermark.cost_model import CostModel
from dbt.adapters.ivm_spark.watermark.watermark import StoredQuery, Watermark


@dataclass(frozen=True)
class Findings:
    """All that is known of a refresh before it is decided.

    Attributes:
        catalog: the relations that the query reads.
        reading: the query as read.
        facts: Spark's answers about the query.
        layout: the layout of the state, None for a query that is stored as it is.
        heads: the heads of the sources, by quoted name.
        watermark: the watermark of the state, None without one.
        known: the watermark is of this query.
        version: the state's newest version, None without a state.
        cost_model: the cost model of the view.
        session: the session's settings.
        table: how the model lays out the state's table, in the state's columns.
        alteration: the changes that the table needs.
        kept: the table is to stay as it is in spite of them.
        clock: the clock as the query reads it.
        query_change: what a changed query does to the state, None if it has not changed.
        stored: what the next watermark records of the query.
        frozen: the rows of the state that no refresh touches, None without any. `layout` leaves
            them out.
        reused: a rebuild reads the state, None if it reads only the sources.
        taken: the table that becomes the state of a first build, None if the query gives it.
        derivation: the derivation of the delta, None without a layout or a watermark of this query.
    """

    catalog: Catalog
    reading: Reading
    facts: Facts
    layout: Layout | None
    heads: dict[str, Head]
    watermark: Watermark | None
    known: bool
    version: int | None
    cost_model: CostModel
    session: dict[str, str]
    table: Configuration
    alteration: Alteration = field(default_factory=Alteration)
    kept: bool = False
    clock: Clock = field(default_factory=Clock)
    query_change: QueryChange | None = None
    stored: StoredQuery = field(default_factory=StoredQuery)
    frozen: Frozen | None = None
    reused: Reused | None = None
    taken: Taken | None = None
    derivation: Derivation | None = None

    def view_text(self, state: str, pretty: bool = False) -> str:
        """Return the SELECT of the view over the state of that quoted name."""
        if self.layout is None:
            return visible_stored(self.facts.outputs, state)
        return visible(self.layout, self.facts.types, self.facts.outputs, pretty)

    @property
    def of_former_query(self) -> bool:
        """Return whether the state holds what a former query of the model needed."""
        view = self.reading.view
        return self.edit is not None or (view is not None and view.above is not None)

    @property
    def edit(self) -> QueryChange | None:
        """Return the change of the model's SQL for which the state is kept, None without one."""
        change = self.query_change
        return change if change is not None and change.kept else None

    def laid_out(self, layout: Layout | None, kept: bool) -> Findings:
        """Return the same findings for a state of another layout; see `Findings` for `kept`."""
        return replace(self, layout=layout, kept=kept).derived

    @property
    def derived(self) -> Findings:
        """Return the same findings with a derivation of their layout."""
        if self.layout is None or self.watermark is None or not self.known:
            return replace(self, derivation=None)
        derivation = Derivation(self.layout, self.source_facts(self.watermark))
        return replace(self, derivation=derivation)

    def source_facts(self, watermark: Watermark) -> dict[str, SourceFacts]:
        """Return the facts of the sources, with the rows in the watermark, by quoted name."""
        return {
            name: SourceFacts.of(source.rows, self.catalog.relations[relation_key(name)].columns)
            for name, source in watermark.sources.items()
        }


@dataclass(frozen=True)
class Reused:
    """A rebuild that reads the state in place of a part of a changed query.

    Attributes:
        layout: of the new state, over the old one and the other sources.
        behind: a source has moved on since the versions that the state was refreshed to.
    """

    layout: Layout
    behind: bool


@dataclass(frozen=True)
class Taken:
    """A table that becomes the state of a first build.

    Attributes:
        name: as the model's config names it.
        rows: the rows of the state, over that table.
    """

    name: str
    rows: exp.Select


@dataclass(frozen=True)
class QueryChange:
    """What a change of a model's SQL does to a state that was built before.

    Attributes:
        kept: the refresh keeps the state; otherwise it rebuilds it.
        how: what the refresh changes if it keeps the state, or what the state lacks, in the user's
            words.
        edited: stored rows change; otherwise only the view over them does.
        rows: rows of the sources that a filter takes in or out and that get another value, 0 if
            they were not counted.
    """

    kept: bool
    how: str
    edited: bool = False
    rows: int = 0


@dataclass(frozen=True)
class Facts:
    """Spark's answers about a query.

    Attributes:
        outputs: (name, type) of the query's columns.
        types: the types of the probe's columns, by name.
        in_order: names of the aggregates that read their rows in a fixed order.
    """

    outputs: tuple[tuple[str, str], ...]
    types: dict[str, str]
    in_order: tuple[str, ...] = ()
