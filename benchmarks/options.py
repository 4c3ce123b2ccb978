"""What a benchmark is told: its scale, its rounds, what it measures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Options:
    """folder: where TPC-H's files are kept and the tables are; scale: TPC-H's scale factor; rows:
    of the largest sources of layers; fractions: of the orders, in layers of the sources, that
    change; rounds: counted ones; warm_up: one round before that does not count; models, rivals:
    names, all that the suite has if None; check: compare what is kept with the query at the end;
    count: models of many_models, refreshes of long_run; groups: of big_state, the small and the
    large state; heap: Spark's driver memory, as `4g`; near: neighbours change, else scattered rows;
    worn: the large sources have many files with deletion vectors; together: each rival refreshes
    all models in one run of dbt, else model by model; time_zone: of the sessions, None for Spark's
    own."""

    folder: Path
    scale: float = 1.0
    rows: int = 100_000
    fractions: tuple[float, ...] = (0.001,)
    rounds: int = 3
    warm_up: bool = True
    models: tuple[str, ...] | None = None
    rivals: tuple[str, ...] | None = None
    check: bool = False
    count: int = 100
    groups: tuple[int, ...] = (100_000, 10_000_000)
    heap: str | None = None
    near: bool = False
    worn: bool = False
    together: bool = False
    time_zone: str | None = None

    @property
    def data(self) -> Path:
        """The folder of TPC-H's files at this scale."""
        return self.folder / f"tpch_{self.scale:g}"

    @property
    def near_scale(self) -> float | None:
        """The scale if neighbours change, what `Changes` takes."""
        return self.scale if self.near else None
