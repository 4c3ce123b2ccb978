"""A contest goes on without the rival that fails."""

from __future__ import annotations

import io
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
