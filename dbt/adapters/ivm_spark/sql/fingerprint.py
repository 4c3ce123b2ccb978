"""The fingerprint of a view: a short text that is equal exactly if the state still fits.

It has three parts, joined by `-`: the query, the columns of its sources, the session settings.

The fingerprint comes from the tree, so comments, white space and the case of keywords do not
count. It contains the columns and types that the view uses of its sources, and the session
settings that change results.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import astuple

from dbt.adapters.ivm_spark.algebra.catalog import Function, Relation, RelationKind
from dbt.adapters.ivm_spark.sql.build import View
from dbt.adapters.ivm_spark.sql.scans import columns_read

_BINARY_STYLE = "spark.sql.binaryOutputStyle"
_PRINTS = "to_csv"


def fingerprint(view: View, labels: tuple[str, ...], settings: dict[str, str]) -> str:
    """Return the fingerprint of a view that is understood.

    labels: the names of its outputs as written.
    """
    columns = {name: used_types(view, relation) for name, relation in view.sources.items()}
    relevant = felt(settings, (view.text,))
    return "-".join((_digest([view.text, list(labels)]), _digest(columns), _digest(relevant)))


def same_query(one: str, other: str) -> bool:
    """Return whether two fingerprints are of the same query, whatever its sources' columns."""
    return one.split("-")[0] == other.split("-")[0]


def same_columns(one: str, other: str) -> bool:
    """Return whether two fingerprints are of the same columns of the query's sources."""
    return one.split("-")[1:2] == other.split("-")[1:2]


def same_settings(one: str, other: str) -> bool:
    """Return whether two fingerprints were made under the same session settings."""
    return one.split("-")[2:] == other.split("-")[2:]


def made_under(found: str, settings: dict[str, str]) -> bool:
    """Return whether a fingerprint was made under these session settings."""
    digests = (_digest(settings), _digest(felt(settings, ())))
    return found.split("-")[2:] in [[digest] for digest in digests]


def fingerprint_text(
    sql: str,
    settings: dict[str, str],
    relations: Iterable[Relation] = (),
    functions: Iterable[Function] = (),
) -> str:
    """Return the fingerprint of a query that is not understood.

    It contains the query's text, the texts of the views that it reads and of the SQL functions that
    it calls, and all columns of its sources.
    """
    read = sorted(relations, key=lambda r: r.name)
    views = [r for r in read if r.kind is RelationKind.VIEW]
    texts: list[tuple[object, ...]] = [
        *((view.name, view.text, view.namespace, view.settings) for view in views),
        *(astuple(f) for f in sorted(functions, key=lambda f: f.name) if f.body),
    ]
    columns = [(r.name, r.columns) for r in read if r not in views]
    relevant = felt(settings, (sql, *(str(part) for text in texts for part in text)))
    return "-".join((_digest([sql.strip(), texts]), _digest(columns), _digest(relevant)))


def felt(settings: dict[str, str], texts: Iterable[str]) -> dict[str, str]:
    """Return the settings that a query with these texts may feel.

    A Thrift server sets how binary values are printed, in some sessions and not in others. Only
    `to_csv` prints them: measured for casts, `concat` and `to_json` too.
    """
    prints = any(_PRINTS in text.lower() for text in texts)
    return {k: v for k, v in settings.items() if k != _BINARY_STYLE or prints}


def used_types(view: View, relation: Relation) -> list[tuple[str, str]]:
    """Return the columns of a source that a view uses, with their types, sorted by name."""
    used = columns_read(view.written, relation.name)
    return sorted((name, kind) for name, kind in relation.columns if name in used)


def _digest(part: object) -> str:
    text = json.dumps(part, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
