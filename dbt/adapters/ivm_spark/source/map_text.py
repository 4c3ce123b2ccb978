"""Parses a map of texts as Spark's Thrift server writes it."""

from __future__ import annotations

import json
import re

_KEY = re.compile(r'"(\w+)":')
_END = re.compile(r'"(?=}\Z|,"\w+":(?:"|null\b))')


def map_of(text: str) -> dict[str, str] | None:
    """Return the map, None if the text can be read in more than one way or not at all.

    Spark puts keys and values between quotes and escapes nothing in them (HiveResult). A value that
    is itself JSON, as Delta writes its own lists and maps, ends where that JSON ends. Any other
    value ends at a quote that only a key or the end follows.
    """
    found: dict[str, str] = {}
    place = 1
    if text == "{}":
        return found
    while place < len(text):
        key = _KEY.match(text, place)
        if key is None or key.group(1) in found:
            return None
        value = _value(text, key.end())
        if value is None:
            return None
        said, place = value
        if said is not None:
            found[key.group(1)] = said
        if text[place : place + 1] == "}":
            return found if place == len(text) - 1 else None
        place += 1
    return None


def _value(text: str, place: int) -> tuple[str | None, int] | None:
    """Return the value that begins here and the place where it ends, None if it has no end."""
    if text.startswith("null", place):
        return None, place + 4
    start = place + 1
    if text[start : start + 1] in ("{", "["):
        try:
            _, end = json.JSONDecoder().raw_decode(text, start)
        except json.JSONDecodeError:
            pass
        else:
            if _END.match(text, end):
                return text[start:end], end + 1
    found = _END.search(text, start)
    return None if found is None else (text[start : found.start()], found.end())
