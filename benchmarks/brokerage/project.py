"""Runs all models of the brokerage in several forms and compares them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from benchmarks.brokerage.changes import CHANGED, Round
from benchmarks.brokerage.figures import IDLE, Turn
from benchmarks.cost import Run, added
from benchmarks.lab import SCHEMA, Lab
from benchmarks.meter import metered
from benchmarks.models import Model, node
from benchmarks.progress import Steps
from benchmarks.rivals.by_dbt import TABLE, ByDbt
from benchmarks.rivals.rival import feed

SHOWN = 3
"""Rows of a difference that are shown."""
_OF_STAGES = ("rows_read", "bytes_read", "rows_written", "bytes_written", "bytes_shuffled")


@dataclass
class Project:
    """The models in all forms.

    Each turn begins with another form, so that no form always profits from the one before it.
    wrong: how models have differed from their tables so far.
    """

    lab: Lab
    models: Sequence[Model]
    forms: Sequence[ByDbt]
    steps: Steps
    turns: int = field(default=0, init=False)
    wrong: list[str] = field(default_factory=list, init=False)

    def turn(self, phase: str, what: str, round_: Round | None = None) -> Turn:
        """Change the sources, run every form, and compare every model with its table."""
        self.steps.now(f"{what}, changing the sources")
        changed = self._change(round_) if round_ is not None else {}
        shift = self.turns % len(self.forms)
        self.turns += 1
        whole, models, wrote = {}, {}, {}
        for form in (*self.forms[shift:], *self.forms[:shift]):
            self.steps.now(f"{what}, {form.name}")
            before = self._versions(form) if phase == IDLE else {}
            whole[form.name], models[form.name] = self._run(form)
            after = self._versions(form) if phase == IDLE else {}
            wrote[form.name] = [name for name in before if before[name] != after[name]]
            self.steps.done(f"{what}, {form.name}: {whole[form.name].cost.seconds:.1f} s")
        self.steps.now(f"{what}, comparing")
        self.wrong += (f"{what}: {difference}" for difference in self._differences())
        return Turn(whole, models, changed, wrote, tuple(self.wrong))

    def drop(self) -> None:
        """Drop everything that the forms have built."""
        views = {row["viewName"] for row in self.lab.rows(f"show views in {SCHEMA}")}
        for row in self.lab.rows(f"show tables in {SCHEMA}"):
            name = row["tableName"]
            if any(f"__{form.name}" in name for form in self.forms):
                self.lab.send([f"drop {'view' if name in views else 'table'} {SCHEMA}.{name}"])

    def _change(self, round_: Round) -> dict[str, int]:
        """Change the sources and return the number of changed rows by source."""
        before = {table: self.lab.version(table) for table in CHANGED}
        self.lab.send(round_.statements(SCHEMA))
        return {
            table: self._count(
                f"{feed(table, version, self.lab.version(table))} "
                "where _change_type <> 'update_preimage'"
            )
            for table, version in before.items()
        }

    def _run(self, form: ByDbt) -> tuple[Run, dict[str, Run]]:
        """Run one form and return the whole run and that of each model.

        The whole run's seconds are without those of metering its models. Its figures of stages are
        sums over the models, because Spark forgets the first stages of a long run.
        """
        names = {node(model.name, form.name): model.name for model in self.models}
        with metered() as meter:
            runs = self.lab.run(list(names))
        inside = added(run.cost for run in runs.values())
        sums = {figure: getattr(inside, figure) for figure in _OF_STAGES}
        seconds = meter.cost.seconds - self.lab.metering
        whole = Run(replace(meter.cost, seconds=seconds, **sums))
        return whole, {names[name]: run for name, run in runs.items()}

    def _versions(self, form: ByDbt) -> dict[str, int]:
        """Return the newest version of each model's Delta table."""
        stored = {m.name: self.lab.stored(node(m.name, form.name)) for m in self.models}
        return {name: self.lab.version(table) for name, table in stored.items() if table}

    def _differences(self) -> Iterator[str]:
        """Yield how models differ from their tables."""
        others = [form for form in self.forms if form is not TABLE]
        for model in self.models:
            for form in others:
                if difference := self._difference(form.shown(model), TABLE.shown(model)):
                    said = f"{model.name} as {form.name} has {difference}"
                    self.steps.done(f"WRONG ROWS: {said}")
                    yield said

    def _difference(self, kept: str, table: str) -> str:
        """Return how a relation differs from a table in columns, types or rows; empty if equal."""
        has, wants = (
            {row["col_name"]: row["data_type"] for row in self.lab.rows(f"describe {relation}")}
            for relation in (kept, table)
        )
        if list(has.items()) != list(wants.items()):
            return f"the columns {has} instead of {wants}"
        columns = ", ".join(wants)
        kept, table = (f"select {columns} from {relation}" for relation in (kept, table))
        return self._shown(kept, table) if self._count(unequal(kept, table, columns)) else ""

    def _shown(self, kept: str, table: str) -> str:
        """Count and show the rows that one query returns more often than the other."""
        sides = {"too many": (kept, table), "too few": (table, kept)}
        return " and ".join(
            f"{self._count(f'({rows})')} rows {what}, such as "
            f"{[tuple(row.values()) for row in self.lab.rows(f'{rows} limit {SHOWN}')]}"
            for what, (one, other) in sides.items()
            for rows in (f"({one}) except all ({other})",)
        )

    def _count(self, item: str) -> int:
        """Return the number of rows of a FROM item."""
        return int(self.lab.rows(f"select count(*) as n from {item}")[0]["n"])


def unequal(one: str, other: str, columns: str) -> str:
    """Return a FROM item with the rows that one query returns more often than the other: EXCEPT ALL
    in both directions, but each query runs once."""
    counted = f"select *, 1 as copies from ({one}) union all select *, -1 from ({other})"
    return f"(select {columns} from ({counted}) group by {columns} having sum(copies) <> 0)"
