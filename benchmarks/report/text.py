"""A result in words: its conditions and its summary. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.report import layers
from benchmarks.report.table import number, percent
from benchmarks.report.tables import tables
from benchmarks.results import Result

GIB = 2**30


def summary_text(result: Result) -> str:
    """Return a result as text for a terminal."""
    blocks = [table.plain() for table in tables(result)]
    return "\n\n".join([*blocks, "\n".join(sentences(result)), conditions_text(result)])


def conditions_text(result: Result) -> str:
    """Return one line that says where the result was measured."""
    c = result.conditions
    versions = ", ".join(f"{name} {version}" for name, version in c["versions"].items())
    peak = result.memory
    return (
        f"{c['cores']} cores, {c['heap_bytes'] / GIB:.1f} GiB heap, Python at most "
        f"{peak['python_peak_bytes'] / GIB:.1f} GiB, Java {c['java']}, "
        f"Python {c['python']}, {versions}; commit {c['commit']}; load before {c['load']:g}."
        + ("" if result.finished else " The run was interrupted.")
    )


def sentences(result: Result) -> list[str]:
    """Return the summary, one sentence on each line."""
    said = result.summary
    if result.suite == "layers":
        return list(layers.sentences(said))
    if "fractions" in said:
        return list(_of_refreshes(said))
    return [f"{name}: {_values(values)}." for name, values in said.items()]


def _of_refreshes(said: Mapping[str, Any]) -> Iterator[str]:
    for fraction, sums in said["fractions"].items():
        if sums["geometric_mean"] is None:
            continue
        worst = sums["worst"]
        yield (
            f"{percent(float(fraction))} changed: {number(sums['geometric_mean'])} times as fast "
            f"as a table in the geometric mean of {sums['models']} models "
            f"({number(sums['geometric_mean_moved'])} for those whose sources changed); the worst "
            f"is {worst['model']} with {number(worst['ratio'])}."
        )
        if seconds := sums.get("seconds"):
            cpu = sums["cpu_seconds"]
            yield (
                f"  All models together took {number(seconds['auto'])} s ({number(cpu['auto'])} s "
                f"of the JVM's cores), as tables {number(seconds['table'])} s "
                f"({number(cpu['table'])} s)."
            )
        if limit := sums["limit"]:
            yield (
                f"  It would be {number(limit['geometric_mean'])} if every refresh were as fast as "
                f"the fastest incremental one ({number(limit['seconds'])} s)."
            )
        for rival, ratio in sums["against"].items():
            if rival != "table" and ratio is not None:
                yield f"  Against {rival}: {number(ratio)} times as fast."
        if sums["slowest_to_best"] is not None:
            slowest = number(sums["slowest_to_best"])
            yield f"  At most {slowest} times the time of the best MERGE."
    choice = said["choice"]
    if choice["cells"]:
        yield f"auto chose correctly in {choice['right']} of {choice['cells']} cells."
        yield from (f"  It chose wrongly in: {name}." for name in choice["mistakes"])
    for model, fraction in said["break_even"].items():
        if fraction is not None:
            yield f"{model}: incremental is slower than a table from {percent(fraction)} on."
    for figure in ("statements", "jobs"):
        most = said[f"most_{figure}"]
        if most is not None:
            yield f"At most {number(most[figure])} {figure} in a refresh: {most['model']}."
    yield from (f"WRONG ROWS: {name}." for name in said["wrong"])


def _values(values: Mapping[str, Any]) -> str:
    shown = (
        f"{name.replace('_', ' ')} {_values(value) if isinstance(value, Mapping) else _one(value)}"
        for name, value in values.items()
    )
    return ", ".join(shown)


def _one(value: Any) -> str:
    if isinstance(value, list):
        return " and ".join(_one(part) for part in value)
    return value if isinstance(value, str) else number(value)
