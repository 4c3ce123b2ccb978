"""Rounds in which the sources change and every rival brings every model up to date."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.cost import Run
from benchmarks.lab import SCHEMA, Lab, LabError
from benchmarks.models import Model, node
from benchmarks.progress import Steps
from benchmarks.results import Cell, cell
from benchmarks.rivals.by_dbt import TABLE
from benchmarks.rivals.rival import Rival, Windows
from benchmarks.tpch.changes import Changes
from benchmarks.tpch.data import TABLES


def texts(models: Sequence[Model], rivals: Sequence[Rival]) -> dict[str, str]:
    """The dbt models that a contest needs, by name."""
    return {
        name: text
        for rival in rivals
        for model in models
        if rival.fits(model)
        for name, text in rival.texts(model).items()
    }


@dataclass
class Contest:
    """Rivals over models in one process and one Spark, in alternation.

    Every round changes the sources once; then each model is refreshed by one rival after the other,
    or, where `together`, all models by one rival in one run of dbt, then by the next one; another
    rival begins in each round, so that none always finds what another has warmed.
    Floors come last, as they look at what the rivals did. `out` has the rivals that failed, by
    model and name, with what they said.
    """

    lab: Lab
    changes: Changes
    models: Sequence[Model]
    rivals: Sequence[Rival]
    steps: Steps
    together: bool = False
    round_: int = field(default=0, init=False)
    out: dict[tuple[str, str], str] = field(default_factory=dict, init=False)

    def build(self) -> None:
        """Build everything for the first time."""
        for model in self.models:
            for rival in self._fitting(model, 0):
                what = f"building {model.name}, {rival.name}"
                self.steps.now(what)
                try:
                    rival.build(self.lab, model)
                except LabError as error:
                    self.out[model.name, rival.name] = f"OUT, {error}"
                    self.steps.done(f"{what}: {self.out[model.name, rival.name]}")

    def warm_up(self, fraction: float) -> None:
        """One round that does not count."""
        for _ in self._round(fraction):
            pass

    def cells(self, fraction: float, rounds: int, check: bool) -> Iterator[list[Cell]]:
        """One cell a model: rounds at a fraction, and whether the rivals are right after them. Told
        after each model, or after all where `together`, so that what was measured outlives a Spark
        that ends."""
        runs: dict[str, dict[str, list[Run]]] = {
            m.name: {r.name: [] for r in self._fitting(m, 0)} for m in self.models
        }
        for _ in range(rounds):
            for _ in self._round(fraction, lambda m, rival, run: runs[m][rival].append(run)):
                yield [cell(m, fraction, found) for m, found in runs.items() if any(found.values())]
        yield [
            cell(m.name, fraction, runs[m.name], self._wrong(m) if check else None)
            for m in self.models
        ]

    def refreshes(self) -> int:
        """How many refreshes a round has."""
        return sum(len(self._fitting(model, 0)) for model in self.models)

    def _round(
        self, fraction: float, keep: Callable[[str, str, Run], None] = lambda *_: None
    ) -> Iterator[None]:
        self.round_ += 1
        self.steps.now(f"changing {fraction:.4%} of the orders")
        before = self._versions()
        self.lab.send(self.changes.refresh_set(fraction, self.round_))
        after = self._versions()
        windows: Windows = {table: (before[table], after[table]) for table in TABLES}
        now = f"{fraction:.4%}, round {self.round_}"
        for models in [self.models] if self.together else [[model] for model in self.models]:
            for rival, fitting in self._turns(models):
                self.steps.now(f"{now}, {_names(fitting)}, {rival.name}")
                runs = self._refreshed(fitting, rival, windows)
                for model in fitting:
                    if (run := runs.get(model.name)) is not None:
                        keep(model.name, rival.name, run)
                    told = self.out.get((model.name, rival.name)) or _told(run)
                    self.steps.done(f"{now}, {model.name}, {rival.name}: {told}")
            yield

    def _turns(self, models: Sequence[Model]) -> list[tuple[Rival, list[Model]]]:
        """The rivals of some models in their order, each with those that it fits."""
        order = {model.name: self._fitting(model, self.round_) for model in models}
        rivals = dict.fromkeys(rival for fitting in order.values() for rival in fitting)
        return [(r, [m for m in models if r in order[m.name]]) for r in rivals]

    def _refreshed(
        self, models: Sequence[Model], rival: Rival, windows: Windows
    ) -> Mapping[str, Run | None]:
        """What a rival did by model; where it fails, as for want of memory, it is out of the
        contest for that model, and the others go on."""
        try:
            return rival.refresh_all(self.lab, models, windows)
        except LabError as error:
            failed = (model.name for model in models if model.name not in error.runs)
            self.out |= {(name, rival.name): f"OUT, {error}" for name in failed}
            return error.runs

    def _fitting(self, model: Model, turn: int) -> list[Rival]:
        """The rivals of a model, another one first in each turn; floors last."""
        rivals = [r for r in self.rivals if (model.name, r.name) not in self.out and r.fits(model)]
        fitting = [rival for rival in rivals if not rival.floor]
        shift = turn % len(fitting) if fitting else 0
        floors = [rival for rival in rivals if rival.floor]
        return [*fitting[shift:], *fitting[:shift], *floors]

    def _versions(self) -> Mapping[str, int]:
        return {table: self.lab.version(table) for table in TABLES}

    def _wrong(self, model: Model) -> list[str] | None:
        """The rivals that keep something else than, as a bag, what `table` has just built from the
        query itself; None without `table`."""
        fitting = self._fitting(model, 0)
        if TABLE not in fitting:
            return None
        self.steps.now(f"checking {model.name}")
        built = f"{SCHEMA}.{node(model.name, TABLE.name)}"
        columns = ", ".join(self.lab.columns(node(model.name, TABLE.name)))
        shown = ((r.name, r.shown(model)) for r in fitting if r is not TABLE)
        return [
            name
            for name, item in shown
            if item is not None
            and not self._same(
                f"(select {columns} from {item})", f"(select {columns} from {built})"
            )
        ]

    def _same(self, one: str, other: str) -> bool:
        differences = (
            f"select 1 as one from ({a} except all {b}) limit 1"
            for a, b in ((one, other), (other, one))
        )
        return not any(self.lab.rows(sql) for sql in differences)


def _names(models: Sequence[Model]) -> str:
    return models[0].name if len(models) == 1 else f"{len(models)} models"


def _told(run: Run | None) -> str:
    if run is None:
        return "nothing to measure"
    return f"{run.cost.seconds:.2f} s {run.said.get('_message', '')}".rstrip()
