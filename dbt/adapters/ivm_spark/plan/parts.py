"""Plans a rebuild part by part, and finds an unfinished one to go on with."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace

from dbt_common.exceptions import DbtDatabaseError

from dbt.adapters.ivm_spark.algebra.catalog import relation_key
from dbt.adapters.ivm_spark.analysis.origins import Origin, origins
from dbt.adapters.ivm_spark.physical.file_pruning import SKIPPING
from dbt.adapters.ivm_spark.plan.findings import Findings
from dbt.adapters.ivm_spark.plan.plan import Full, Parts
from dbt.adapters.ivm_spark.plan.refusals import RefusedError
from dbt.adapters.ivm_spark.plan.request import Request
from dbt.adapters.ivm_spark.session.condition import is_taken, says_condition
from dbt.adapters.ivm_spark.source.binding import Versions
from dbt.adapters.ivm_spark.source.commit import Commit
from dbt.adapters.ivm_spark.source.reader import Query, SourceReader
from dbt.adapters.ivm_spark.source.version_range import Head
from dbt.adapters.ivm_spark.state.difference import stored_types
from dbt.adapters.ivm_spark.state.parts import bounds_sql, is_ranged
from dbt.adapters.ivm_spark.state.visible import columns_of_state
from dbt.adapters.ivm_spark.watermark.build import Build, is_of_parts, recorded
from dbt.adapters.ivm_spark.watermark.history import identified, is_another
from dbt.adapters.ivm_spark.watermark.watermark import SourceWatermark


def check_build_by(request: Request, found: Findings, builds: bool) -> None:
    """Raise RefusedError if a view can't be built by the ranges of the model's column.

    The state of a former query may lack a column that a rebuild would store, so the column is
    checked against it only if the plan `builds` from that layout.
    """
    name = request.config.build_by
    if not name:
        return
    outputs = {output.lower(): kind for output, kind in found.facts.outputs}
    if name.lower() not in outputs:
        raise RefusedError(
            f"build_by is {name!r}, which is no column of the view. Its columns are: "
            f"{', '.join(outputs)}."
        )
    if not is_ranged(outputs[name.lower()]):
        raise RefusedError(
            f"build_by is {name!r}, of type {outputs[name.lower()]}. Name a column of numbers, "
            "dates or timestamps, whose values can be cut into ranges."
        )
    if found.of_former_query and not builds:
        return
    if found.layout is not None and _key(request, found) is None:
        keys = ", ".join(_keys(found)) or "there is none"
        raise RefusedError(
            f"build_by is {name!r}, but it must be a column by which the view's rows are stored: a "
            f"key of its GROUP BY, or any column if it has none. They are: {keys}."
        )


def in_parts(plan: Full, request: Request, found: Findings) -> tuple[Full, str]:
    """Return a rebuild part by part, and a warning if the query does not allow that.

    The model's column must have passed `check_build_by`.
    """
    said = f"build_by is {request.config.build_by!r}, but the view is built at once"
    if found.taken is not None:
        return plan, ""
    layout = found.layout
    if layout is None:
        reason = found.reading.unsupported_reason
        return plan, f"{said}, because its query is stored as it is. {reason or ''}".strip()
    if found.frozen is not None and (request.keeps_frozen or found.frozen.given is not None):
        return plan, f"{said}, because its frozen rows may change between two parts."
    key = _key(request, found)
    assert key is not None
    place = {item.name: item.expression for item in layout.keys}
    where = origins(layout.input, place[key])
    if where is None:
        return plan, (
            f"{said}. A window, an outer join or an aggregate needs rows of several parts, so each "
            "part would take as long as all of them. Choose a column that all of these go by."
        )
    types = stored_types(layout, found.facts.types, found.facts.outputs)
    parts = Parts(
        table=request.parts,
        by=key,
        type_name=types[key],
        columns=tuple(types),
        wanted=request.config.build_parts,
        question=_question(request, found, where, types[key]),
        contents=_digest(plan, found, key, types[key]),
        resumes=request.resumes,
    )
    # The parts may have deletion vectors, as any table that the session's settings give them.
    tuning = {name: value for name, value in plan.tuning.items() if name != SKIPPING}
    return replace(plan, parts=parts, keeps_table=False, tuning=tuning), ""


def goes_on(plan: Full) -> bool:
    """Return whether a rebuild that was planned at an unfinished build's versions can go on.

    It can if the query gives the same rows (its text has not changed, nor what it reads of the
    clock), and if no refresh has changed the state since.
    """
    build = None if plan.parts is None else plan.parts.resumes
    if plan.parts is None or build is None:
        return False
    return build.contents == plan.parts.contents and build.refresh == plan.watermark.refresh - 1


def unfinished(query: Query, request: Request) -> Build | None:
    """Return the build in parts that a model has not come to the end of, None without one.

    Raises RefusedError if the table in its place is none of a build.
    """
    if not (request.in_parts and request.parts_exist):
        return None
    commits = commits_of_parts(query, request.parts)
    if not commits and not is_taken(query, f"describe table {request.parts}"):
        return None  # another run has dropped it since dbt looked
    if not is_of_parts(commits):
        raise RefusedError(
            f"{request.parts} is in the place of the table in which a build of this model collects "
            "its parts. Rename or drop it, or give the model another alias."
        )
    record = recorded(commits)
    return None if record is None else record.build


def commits_of_parts(query: Query, table: str, since: int = 0) -> list[Commit]:
    """Return the commits of a table of parts from a version on, none if it is no Delta table.

    `table` is its quoted name.
    """
    try:
        return SourceReader(query).commits(table, since)
    except DbtDatabaseError as error:
        if not says_condition(error):
            raise
        return []


def heads_at(
    query: Query, found: Findings, marks: Mapping[str, SourceWatermark]
) -> dict[str, Head] | None:
    """Return the heads of the sources, those with a watermark at its version.

    None if such a source is another table since, or was replaced.
    """
    reader = SourceReader(query)
    heads = dict(found.heads)
    for name, mark in marks.items():
        relation = found.catalog.relations[relation_key(name)]
        head = identified(reader, name, reader.head(relation, mark.version), mark)
        if head.is_before(mark.version) or is_another(head, mark) or head.replaced(mark.version):
            return None
        heads[name] = head.at(mark.version)
    return heads


def started(plan: Full, build_id: str, bounds: tuple[str, ...]) -> Build:
    """Return a build with no part yet."""
    assert plan.parts is not None
    sources: Mapping[str, SourceWatermark] = plan.watermark.sources
    refresh = plan.watermark.refresh - 1
    return Build(build_id, plan.parts.contents, dict(sources), refresh, tuple(bounds))


def _keys(found: Findings) -> dict[str, str]:
    """Return the columns of the state by which its rows are stored, by the view's in lower case."""
    assert found.layout is not None
    keys = {item.name for item in found.layout.keys}
    stored = columns_of_state(found.layout, found.facts.outputs)
    return {name: own for name, own in stored.items() if own in keys}


def _key(request: Request, found: Findings) -> str | None:
    return _keys(found).get(request.config.build_by.lower())


def _question(request: Request, found: Findings, where: tuple[Origin, ...], type_name: str) -> str:
    bind = Versions.of({}, found.heads).bind
    return bounds_sql(where, type_name, request.config.build_parts, bind)


def _digest(plan: Full, found: Findings, key: str, type_name: str) -> str:
    """Return a digest of all that the rows of the parts depend on, and how they are cut."""
    sources = {n: (m.table_id, m.version, m.committed) for n, m in plan.watermark.sources.items()}
    text = repr((plan.select, found.reading.fingerprint, key, type_name, sorted(sources.items())))
    return hashlib.sha256(text.encode()).hexdigest()
