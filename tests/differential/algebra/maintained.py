"""The pure rooms on DuckDB: one view and its state, no JVM.

What Spark would be asked, DuckDB is: the fill, the MERGE and the view are the product's own trees,
written in DuckDB's SQL. Every statement is written once: a MERGE depends on which sources moved and
whether they were only inserted into.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

import sqlglot
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.catalog import quote
from dbt.adapters.ivm_spark.algebra.clock import with_constants
from dbt.adapters.ivm_spark.algebra.columns import column
from dbt.adapters.ivm_spark.algebra.reasons import NotMaintained
from dbt.adapters.ivm_spark.algebra.recorded import read_recorded, recorded
from dbt.adapters.ivm_spark.algebra.tree import Empty, Node
from dbt.adapters.ivm_spark.analysis.source_facts import SourceFacts
from dbt.adapters.ivm_spark.delta.context import Context
from dbt.adapters.ivm_spark.delta.net import net_changes, net_sql
from dbt.adapters.ivm_spark.delta.query_change import settled
from dbt.adapters.ivm_spark.delta.query_forms import OtherQuery
from dbt.adapters.ivm_spark.delta.references import ForeignKey, Lasting, joined_along
from dbt.adapters.ivm_spark.delta.rules import delta
from dbt.adapters.ivm_spark.delta.type_checks import check_types
from dbt.adapters.ivm_spark.physical.broadcast import Bounds
from dbt.adapters.ivm_spark.physical.key_ranges import in_ranges
from dbt.adapters.ivm_spark.physical.lower import Known, Statements, lower, lower_rebuild
from dbt.adapters.ivm_spark.physical.runtime_filters import (
    BIG_ROWS,
    open_questions,
)
from dbt.adapters.ivm_spark.plan.change import Derivation
from dbt.adapters.ivm_spark.plan.clock import Clock, clock_reason
from dbt.adapters.ivm_spark.plan.findings import Facts
from dbt.adapters.ivm_spark.plan.frozen import frozen_rows
from dbt.adapters.ivm_spark.plan.reading import lay_out
from dbt.adapters.ivm_spark.plan.references import (
    KeyChange,
    columns_to_net,
    key_change_query,
    orphans_query,
)
from dbt.adapters.ivm_spark.plan.reused import Former, reusing
from dbt.adapters.ivm_spark.sql.build import View, build_view
from dbt.adapters.ivm_spark.sql.render import render
from dbt.adapters.ivm_spark.sql.scans import bind_plain, columns_read
from dbt.adapters.ivm_spark.state.accumulators import COUNT
from dbt.adapters.ivm_spark.state.frozen import Frozen
from dbt.adapters.ivm_spark.state.kept import KeptState, check_fits, kept_state
from dbt.adapters.ivm_spark.state.layout import probe
from dbt.adapters.ivm_spark.state.merge import Merge
from dbt.adapters.ivm_spark.state.target import Target
from dbt.adapters.ivm_spark.state.visible import columns_of_state, visible_query
from dbt.adapters.ivm_spark.watermark.configuration import ConfigError
from tests.differential.algebra.database import Database, Row
from tests.differential.algebra.duck import bind, counted, duck, spelled_out, write_sql

_STATE = "`main`.`v__ivm`"

TOKEN = "t0"


@dataclass(frozen=True)
class Change:
    """statements: what changes the state; loses: the query for the rows that it loses, empty where
    there is none; inserts: the statements in their place where those are none."""

    statements: list[str]
    loses: str = ""
    inserts: tuple[str, ...] = ()

    @classmethod
    def of(cls, parts: Statements) -> Change:
        write = parts.write
        if not isinstance(write, Merge) or write.loses is None:
            return cls(write_sql(parts))
        loses = duck(parts.query(write.loses))
        return cls(write_sql(parts), loses, tuple(write_sql(parts.insert)))


class Maintained:
    """A view on the sources; appends: its state is appended to where it can be, and every
    third time its rows are added up. Raises NotMaintained."""

    def __init__(self, database: Database, sql: str, appends: bool = False) -> None:
        self._database = database
        self._sql = sql
        view = build_view(sql, database.catalog)
        self._view, self._appends = view, appends
        self.clock = 1
        self._types = self._types_of(probe(self._at(1).root))
        self._layout = lay_out(self._at(1), self._types, _STATE, appends)
        check_types(self._layout.input, self._types_of)
        self.sources = [n for n, t in database.tables.items() if t.relation.name in view.sources]
        self._merge = cache(self._merge_statements)
        self._asked: set[tuple[frozenset[str], bool]] = set()
        self._merged = 0
        self._frozen: Frozen | None = None
        self._lasting = Lasting()

    @property
    def appended(self) -> bool:
        return self._layout.appended

    def build(self) -> None:
        self._database.run(f'create or replace table "v__ivm" as {self._fill}')

    @property
    def reads_clock(self) -> bool:
        return bool(self._view.clock)

    def tick(self, now: int, moved: frozenset[str]) -> None:
        """Bring the state up to date with a clock that moves, together with these sources."""
        moving = self._at(now, self.clock)
        self._layout = lay_out(moving, self._types, _STATE, self._appends, checked=True)
        self.clock = now
        for name in ("_fill", "_visible", "_query"):
            self.__dict__.pop(name, None)
        self._merge = cache(self._merge_statements)
        if clock_reason(self._layout, Clock()) is not None:
            self.build()
        else:
            self._ask_and_merge(moved, False, False)
        self._layout = lay_out(self._at(now), self._types, _STATE, self._appends)

    def freeze(self, generator: random.Random) -> str:
        """Freeze the rows that a random condition on the view's columns is true for; it, or nothing
        if rows are not stored by one of its columns."""
        outputs = tuple(self._database.types(self._visible).items())
        keys = {key.name for key in self._layout.keys}
        stored = columns_of_state(self._layout, outputs)
        named = [name for name, column in stored.items() if column in keys]
        kinds = {name: kind for name, kind in outputs if kind in ("int", "bigint", "string")}
        columns = [name for name in kinds if name.lower() in named]
        if not columns:
            return ""
        column = generator.choice(columns)
        rows = self._database.named(f'select distinct "{column}" as v from ({self._visible})')
        values = sorted(repr(row["v"]) for row in rows if row["v"] is not None)
        bound = f"`{column}` <= {generator.choice(values)}" if values else f"`{column}` is null"
        text = generator.choice((bound, bound, f"`{column}` is null", f"not ({bound})"))
        try:
            self._frozen = frozen_rows(text, self._layout, Facts(outputs, {}), "ivmspark")
        except ConfigError:
            return ""
        assert self._frozen is not None
        assert self._frozen.live is not None
        self._layout = self._frozen.live
        self._merge = cache(self._merge_statements)
        return text

    def rebuild(self) -> None:
        """Build the state again, beside its frozen rows."""
        assert self._frozen is not None
        live = lower_rebuild(self._layout, self._facts)
        fill = duck(render(self._frozen.beside(live, _STATE), bind))
        self._database.run(f"create or replace temp table anew as {fill}")
        self._database.run('create or replace table "v__ivm" as from anew')

    def split(self, sql: str, condition: str) -> tuple[Counter[Row], Counter[Row]]:
        """The rows of a view's or a query's text for which a condition is true, and the others."""
        holds = "coalesce(({}), false)".format(condition.replace("`", '"'))
        names = ", ".join(f'"{name}"' for name in self._database.types(self._visible))
        rows = f"select * from ({sql}) as r ({names}) where"
        return self._database.bag(f"{rows} {holds}"), self._database.bag(f"{rows} not {holds}")

    @property
    def texts(self) -> tuple[str, str]:
        """What the view shows and the user's text, in DuckDB's SQL."""
        return self._visible, self._query

    def edit(self, sql: str, moved: frozenset[str]) -> bool:
        """Give the view another query, while these sources have moved; whether its state is kept.

        Raises NotMaintained for a query that is not maintained.
        """
        view = build_view(sql, self._database.catalog)
        types = self._types_of(probe(view.root))
        lay_out(view, types, _STATE)
        kept = self._kept(view, types)
        self._sql = sql
        if kept is None:
            self._view, self._types = view, types
            self._lay_out_anew(view)
            self.build()
            return False
        natural = kept.natural and self._fits(view, types)
        moving = replace(view, root=kept.root, above=None if natural else kept.above)
        self._view = view
        if not natural:
            root = read_recorded(recorded(settled(kept.root)))
            assert root is not None
            self._view = replace(view, root=root, above=kept.above)
        self._types = kept.types
        self._layout = lay_out(moving, kept.types, _STATE, checked=True)
        reads = [
            n for n in moved if columns_read(kept.root, self._database.tables[n].relation.name)
        ]
        follows = True
        try:
            if reads or kept.edited:
                self._ask_and_merge(frozenset(reads), False, False)
        except NotMaintained:  # a rule that computes several operators at once
            follows = False
        self._lay_out_anew(self._view)
        if not follows:
            self.build()
        return follows

    def grow(self, sql: str) -> bool:
        """Give the view another query, over its state where a part of that is the query that it
        had; whether there is such a part. Raises NotMaintained."""
        view = build_view(sql, self._database.catalog)
        types = self._types_of(probe(view.root))
        layout = lay_out(view, types, _STATE)
        former = Former(self._view.root, self._view.above, self._types, _STATE, self._appends)
        place = reusing(layout, view, former, self._types_of)
        self._sql, self._view, self._types = sql, view, types
        fill = None
        if place is not None:
            fill = duck(render(lower_rebuild(place[1], self._facts), bind))
        self._lay_out_anew(view)
        if fill is None:
            self.build()
            return False
        self._database.run(f"create or replace temp table anew as {fill}")
        self._database.run('create or replace table "v__ivm" as from anew')
        return True

    def _fits(self, view: View, types: dict[str, str]) -> bool:
        before = lay_out(self._view, self._types, _STATE, checked=True)
        try:
            check_fits(before, lay_out(view, types, _STATE, checked=True))
        except OtherQuery:
            return False
        return True

    def _kept(self, view: View, types: dict[str, str]) -> KeptState | None:
        before = lay_out(self._view, self._types, _STATE, checked=True)
        try:
            kept = kept_state(self._view.root, self._view.above, self._types, view.root, types)
            for old, new in kept.same_types:
                if list(self._types_of(old).values()) != list(self._types_of(new).values()):
                    raise OtherQuery("types")
            now = replace(view, root=kept.root, above=kept.above)
            check_fits(before, lay_out(now, kept.types, _STATE))
            delta(
                lay_out(now, kept.types, _STATE, checked=True).input,
                Context(frozenset(t.relation.name for t in self._database.tables.values())),
            )
        except (OtherQuery, NotMaintained):
            return None
        return kept

    def _lay_out_anew(self, view: View) -> None:
        self._layout = lay_out(view, self._types, _STATE, checked=True)
        self.sources = [
            n for n, t in self._database.tables.items() if columns_read(view.root, t.relation.name)
        ]
        for name in ("_fill", "_visible", "_query"):
            self.__dict__.pop(name, None)
        self._merge = cache(self._merge_statements)

    def _at(self, now: int, before: int | None = None) -> View:
        """The view with the clock's value, and the one that it had before."""
        values = dict.fromkeys(self._view.clock, _number(now))
        old = dict.fromkeys(self._view.clock, _number(now if before is None else before))
        return replace(self._view, root=with_constants(self._view.root, values, old))

    def merge(self, moved: frozenset[str], insert_only: bool) -> None:
        """Bring the state up to date with the windows of the sources that moved.

        Every source counts as big in the first batch of its kind, so that keys are asked for: what
        they are is part of the statements, which are written anew.
        """
        big = (moved, insert_only) not in self._asked
        self._asked.add((moved, insert_only))
        self._merged += 1
        if big:
            moved -= self._idle(moved)
            if not moved:
                return
        compact = self.appended and self._merged % 3 == 0
        statements, change, asks = self._merge(moved, insert_only, big, compact)
        if asks:
            self._ask_and_merge(moved, insert_only, compact)
        for statement in () if asks else statements:
            self._database.run(statement)
        if not asks and change is not None:
            self._run(change)
        spoiled = 'select 1 from "v__ivm" where "__ivm_count" is null'
        assert not self._database.bag(spoiled), "a negative count"

    def merge_along(self, moved: frozenset[str], keys: Sequence[ForeignKey]) -> int:
        """Bring the state up to date along those foreign keys whose referenced rows only came or
        went; how many they are."""
        tables = {t.relation.name: n for n, t in self._database.tables.items()}
        trusted, lost = [], set[str]()
        for key in joined_along(self._layout.input, keys, self._facts):
            if tables[key.referenced] not in moved:
                continue
            for columns in columns_to_net(key, self._layout.input, self._facts):
                question = key_change_query(key.referenced, key.keys, columns, bind)
                change = KeyChange(**self._database.named(duck(question))[0])
                assert not change.repeated
                if change.stayed:
                    continue
                referring = self._facts[key.relation].typed(key.columns)
                wrong = orphans_query(key, columns, referring, bind)
                assert not self._database.named(duck(wrong))[0]["orphans"]
                trusted.append(key)
                if change.lost:
                    lost.add(key.referenced)
                break
        self._lasting = Lasting(tuple(trusted), frozenset(lost))
        if self._parts(moved, False, True, False) is not None:
            self._ask_and_merge(moved, False, False)
        self._lasting = Lasting()
        return len(trusted)

    def _idle(self, moved: frozenset[str]) -> frozenset[str]:
        """The sources whose changes come to nothing for the view."""
        tables = {t.relation.name: n for n, t in self._database.tables.items() if n in moved}
        changes = net_changes(self._layout.input, tables, self._facts)
        if not changes:
            return frozenset()
        rows = self._database.named(duck(net_sql(list(changes.values()), bind)))
        noisy = {int(row["number"]) for row in rows}
        return frozenset(tables[name] for n, name in enumerate(changes) if n not in noisy)

    def shown(self) -> Counter[Row]:
        """The rows of the view."""
        return self._database.bag(self._visible)

    def wanted(self) -> Counter[Row]:
        """The rows of the user's text."""
        return self._database.bag(self._query)

    def rows_of(self, sql: str) -> Counter[Row]:
        """The rows of a text, read by sqlglot's own Spark dialect and not by ours."""
        return self._database.bag(_spark(sql, self.clock))

    def stored(self) -> Counter[Row]:
        """The rows of the state, equal ones as one."""
        return self._database.bag(self._added_up('"v__ivm"'))

    def stored_anew(self) -> Counter[Row]:
        """The rows that a new state would have, equal ones as one."""
        return self._database.bag(self._added_up(f"({self._fill})"))

    def _added_up(self, rows: str) -> str:
        columns = ", ".join(f'"{c}"' for c in self._layout.columns if c != COUNT)
        return f'select {columns}, sum("{COUNT}")::bigint from {rows} group by all'

    @cached_property
    def _facts(self) -> dict[str, SourceFacts]:
        """Every source as a big one."""
        return self._facts_of(BIG_ROWS)

    def _facts_of(self, rows: int) -> dict[str, SourceFacts]:
        relations = (t.relation for t in self._database.tables.values())
        return {r.name: SourceFacts.of(rows, r.columns) for r in relations}

    @cached_property
    def _fill(self) -> str:
        return duck(render(lower_rebuild(self._layout, self._facts), bind))

    @cached_property
    def _visible(self) -> str:
        return duck(visible_query(self._layout, self._types, None))

    @cached_property
    def _query(self) -> str:
        return _spark(self._sql, self.clock)

    def _merge_statements(
        self, moved: frozenset[str], insert_only: bool, big: bool, compact: bool
    ) -> tuple[list[str], Change | None, bool]:
        """The statements that keep relations, what changes the state, and whether questions go
        between them."""
        parts = self._parts(moved, insert_only, big, compact)
        if parts is None:
            return [], None, False
        return _materializations(parts), Change.of(parts), any(parts.asks)

    def _run(self, change: Change) -> None:
        """Change the state, by an INSERT where the state loses no row."""
        gains = change.loses and not self._database.named(change.loses)
        for statement in change.inserts if gains else change.statements:
            self._database.run(statement)

    def _ask_and_merge(self, moved: frozenset[str], insert_only: bool, compact: bool) -> None:
        there: set[str] = set()
        parts = self._parts(moved, insert_only, True, compact)
        assert parts is not None
        for number in range(len(parts.asks)):
            asked = open_questions(parts.asks, number, there, parts.answers)
            if asked:
                bounds = _Few() if self._merged % 2 else parts.bounds
                asking = replace(parts, bounds=bounds)
                rows = self._database.named(duck(asking.question(asked)))
                parts = self._pruned(parts.answered(asking.answers_in(asked, rows)))
            if number < len(parts.materialized):
                self._database.run(_materializations(parts)[number])
                there.add(parts.materialized[number].name)
        self._run(Change.of(parts))

    def _pruned(self, parts: Statements) -> Statements:
        """The statements where each file has one row, so that pruned scans lack all others."""
        views = dict(parts.views)
        for scan, answer in parts.prunes.items():
            name = f"files_{len(views)}_{TOKEN}"
            of_keys = in_ranges(column(scan.column), scan.question, answer)
            rows = exp.select("*").from_(exp.to_table(scan.relation, dialect="spark"))
            self._database.run(
                f"create or replace temp table {name} as {duck(rows.where(of_keys))}"
            )
            views[scan] = quote(name)
        return replace(parts, views=views)

    def _parts(
        self,
        moved: frozenset[str],
        insert_only: bool,
        big: bool,
        compact: bool,
    ) -> Statements | None:
        tables = self._database.tables
        names = frozenset(tables[n].relation.name for n in moved)
        sources = self._facts if big else self._facts_of(0)
        change = Derivation(self._layout, sources, self._lasting).over(names)
        if isinstance(change, Empty):
            return None
        target = Target(_STATE, TOKEN, compact, self._types if big else None)
        known = Known(sources=sources)
        return lower(self._layout, change, target, insert_only, known, bind)

    def _types_of(self, node: Node) -> dict[str, str]:
        return self._database.types(duck(render(node, bind_plain)))


class _Few(Bounds):
    """Bounds by which a change has few keys, so that they are collected if they are numbers."""

    def different_in(self, node: Node, columns: Collection[str]) -> int | None:
        return 1


def _materializations(parts: Statements) -> list[str]:
    return [
        f"create or replace temp table {m.name} as {duck(parts.query(m.relation))}"
        for m in parts.materialized
    ]


def _spark(sql: str, clock: int) -> str:
    query = sqlglot.parse_one(sql.replace("unix_timestamp()", str(clock)), read="spark")
    return spelled_out(query.transform(counted).sql("duckdb"))


def _number(value: int) -> exp.Expr:
    return exp.cast(exp.Literal.string(str(value)), "bigint")
