"""A tree as text, and back: what a watermark records of the query that a state was built from.

The text is JSON, compressed. Its kinds of values are few: operators, items, expressions, tuples,
texts, flags and NULL. `recorded` reads its own text before it returns it, so a text that is there
gives the very tree.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from dataclasses import fields
from typing import Any

from sqlglot import exp, serde

from dbt.adapters.ivm_spark.algebra.tree import NODES, At, Item, Node

MOST = 40_000
"""Characters of the longest text. A commit's metadata should stay short."""
_KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in (*NODES, Item)}
_KIND, _EXPRESSION, _AT = "$kind", "$sql", "$at"


def recorded(root: Node) -> str:
    """Return a tree as text, empty for a tree that is too long or that the text can't hold."""
    payload = json.dumps(_encoded(root), separators=(",", ":")).encode()
    text = base64.b85encode(zlib.compress(payload, 9)).decode()
    return text if len(text) <= MOST and read_recorded(text) == root else ""


def read_recorded(text: str) -> Node | None:
    """Return the tree of a text, None for a text that this version can't read."""
    try:
        found = _decoded(json.loads(zlib.decompress(base64.b85decode(text))))
    except (ValueError, LookupError, TypeError, AttributeError, zlib.error, binascii.Error):
        return None
    return found if isinstance(found, NODES) else None


def _encoded(value: Any) -> Any:
    if isinstance(value, exp.Expr):
        return {_EXPRESSION: _short(serde.dump(_bare(value)))}
    if isinstance(value, At):
        return {_AT: value.value}
    if isinstance(value, tuple):
        return [_encoded(part) for part in value]
    if type(value) in _KINDS.values():
        parts = {f.name: _encoded(getattr(value, f.name)) for f in fields(value)}
        return {_KIND: type(value).__name__, **parts}
    return value


def _decoded(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_decoded(part) for part in value)
    if not isinstance(value, dict):
        return value
    if _EXPRESSION in value:
        _check_classes(value[_EXPRESSION])
        return _whole(serde.load(value[_EXPRESSION]))
    if _AT in value:
        return At(value[_AT])
    parts = {name: _decoded(part) for name, part in value.items() if name != _KIND}
    return _KINDS[value[_KIND]](**parts)


def _whole(expression: Any) -> Any:
    """Return an expression, changed in place, with the empty lists that sqlglot does not dump."""
    for window in expression.find_all(exp.Window):
        window.set("partition_by", window.args.get("partition_by") or [])
    return expression


def _bare(expression: exp.Expr) -> exp.Expr:
    """Return an expression without comments and places in the user's text."""
    found = expression.copy()
    for node in found.walk():
        node.comments = None
        node._meta = None
    return found


def _short(payloads: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what sqlglot dumps with its classes' bare names, wherever it keeps them today."""
    for payload in payloads:
        module, _, name = payload.get(serde.CLASS, "").rpartition(".")
        if module.startswith(f"{exp.__name__}."):
            payload[serde.CLASS] = name
        if serde.TYPE in payload:
            _short(payload[serde.TYPE])
    return payloads


def _check_classes(payloads: list[dict[str, Any]]) -> None:
    """Raise ValueError unless every class is an expression of sqlglot's.

    sqlglot would import any class that the text names, and who can write into the state's log need
    not be allowed to run code here.
    """
    for payload in payloads:
        name = payload.get(serde.CLASS)
        if name is not None and name != serde.DATA_TYPE:
            kind = getattr(exp, name, None) if name.isidentifier() else None
            if not (isinstance(kind, type) and issubclass(kind, exp.Expr)):
                raise ValueError(name)
        if serde.TYPE in payload:
            _check_classes(payload[serde.TYPE])
