"""A contest goes on without the rival that fails."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from rich.console import Console

from benchmarks.contest import Contest
from benchmarks.cost import Cost, Run
from benchmarks.lab import Lab, LabError
from benchmarks.models import Model
from benchmarks.progress import Steps
from benchmarks.rivals.rival import Rival, Windows
from benchmarks.tpch.changes import Changes


class _Counting(Rival):
    """Fails when it is asked the nth time, if ever."""

    def __init__(self, name: str, fails_at: int = 0) -> None:
        self.name, self.asked, self._fails_at = name, 0, fails_at

    def refresh(self, lab: Lab, model: Model, windows: Windows) -> Run:
        self.asked += 1
        if self.asked == self._fails_at:
            raise LabError("no memory")
        return Run(Cost(seconds=1.0))


class _Unbuilt(_Counting):
    def build(self, lab: Lab, model: Model) -> None:
        raise LabError("no disk")


def test_a_rival_that_fails_is_out_and_the_others_go_on() -> None:
    steady, failing, unbuilt = _Counting("steady"), _Counting("failing", 2), _Unbuilt("unbuilt")
    lab = cast(Any, SimpleNamespace(version=lambda table: 1, send=list))
    out = io.StringIO()
    with Steps(Console(file=out, width=200)) as steps:
        changes = Changes(Path("data"), "s")
        contest = Contest(lab, changes, [Model("m", "select 1")], [steady, failing, unbuilt], steps)
        contest.build()
        *_, (cell,) = contest.cells(0.01, 3, check=False)
    assert (steady.asked, failing.asked, unbuilt.asked) == (3, 2, 0)
    assert {name: len(r["runs"]) for name, r in cell["rivals"].items()} == {
        "steady": 3,
        "failing": 1,
    }
    assert "building m, unbuilt: OUT, no disk" in out.getvalue()
    assert "failing: OUT, no memory" in out.getvalue()


class _Whole(_Counting):
    """Keeps which models it was asked for at once."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.runs: list[list[str]] = []

    def refresh_all(
        self, lab: Lab, models: Sequence[Model], windows: Windows
    ) -> Mapping[str, Run | None]:
        self.runs.append([model.name for model in models])
        return super().refresh_all(lab, models, windows)


def test_rivals_take_turns_and_each_refreshes_all_models_at_once() -> None:
    one, other = _Whole("one"), _Whole("other")
    lab = cast(Any, SimpleNamespace(version=lambda table: 1, send=list))
    models = [Model(name, "select 1") for name in ("a", "b")]
    out = io.StringIO()
    with Steps(Console(file=out, width=200)) as steps:
        contest = Contest(lab, Changes(Path("data"), "s"), models, [one, other], steps, True)
        *_, cells = contest.cells(0.01, 2, check=False)
    assert one.runs == other.runs == [["a", "b"]] * 2
    assert [sorted(cell["rivals"]) for cell in cells] == [["one", "other"]] * 2
    told = [line for line in out.getvalue().splitlines() if "round 1, a" in line]
    assert ["other" in line for line in told] == [True, False], "another rival begins each round"
