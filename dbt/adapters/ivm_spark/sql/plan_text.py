"""Splits the lines of a plan that Spark prints into expressions."""

from __future__ import annotations

import re
from bisect import bisect_left

IDENTIFIED = re.compile(r"(.*)#(\d+)L?")
"""A name with its expression id."""
_AND = " AND "


def alias_of(part: str) -> tuple[str, str, str]:
    """Return expression, name and id of `expression AS name#id`.

    The name and id of a bare column are empty.
    """
    depth = 0
    for place, character in enumerate(part):
        depth += (character in "([{") - (character in ")]}")
        if depth == 0 and part.startswith(" AS ", place):
            named = IDENTIFIED.fullmatch(part[place + 4 :])
            if named is not None:
                return part[:place], named.group(1), named.group(2)
    return part, "", ""


def lists(text: str) -> tuple[str, str]:
    """Return the keys and the outputs of `[keys], [outputs]`; a global aggregate prints no keys."""
    parts = split_list(text)
    if len(parts) == 1:
        return "", parts[0][1:-1]
    return parts[0][1:-1], parts[1][1:-1]


def split_list(text: str) -> list[str]:
    """Return the parts between commas outside all brackets."""
    parts, depth, start = [], 0, 0
    for place, character in enumerate(text):
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    last = text[start:].strip()
    return [*parts, last] if last else parts


def conjuncts(text: str) -> list[str]:
    """Return the conditions that AND joins at the top; the plan prints ((a AND b) AND c)."""
    inside, ands = _brackets(text)
    found, waiting = [], [(0, len(text))]
    while waiting:
        start, end = waiting.pop()
        depth, close = inside.get(start, (0, -1))
        places: list[int] = []
        if close == end - 1:
            every = ands.get(depth, [])
            places = every[bisect_left(every, start) : bisect_left(every, end)]
        if not places:
            found.append(text[start:end])
            continue
        starts = [start + 1, *(place + len(_AND) for place in places)]
        waiting.extend(reversed(list(zip(starts, [*places, close], strict=True))))
    return found


def _brackets(text: str) -> tuple[dict[int, tuple[int, int]], dict[int, list[int]]]:
    """Return the brackets and the ANDs of a condition.

    The first result maps the place of each `(` to the depth inside it and the place where it
    closes. The second maps each depth to the places of its ANDs, in order.
    """
    inside: dict[int, tuple[int, int]] = {}
    ands: dict[int, list[int]] = {}
    opened: list[int] = []
    for place, character in enumerate(text):
        if character in "([{":
            opened.append(place)
        elif character in ")]}" and opened:
            depth, start = len(opened), opened.pop()
            if text[start] == "(":
                inside[start] = (depth, place)
        elif character == " " and text.startswith(_AND, place):
            ands.setdefault(len(opened), []).append(place)
    return inside, ands


def disjuncts(text: str) -> list[str]:
    """Return the conditions that OR joins at the top; the plan prints ((a OR b) OR c)."""
    sides = binary(text, (" OR ",))
    return [text] if sides is None else [part for side in sides for part in disjuncts(side)]


def binary(text: str, operators: tuple[str, ...]) -> list[str] | None:
    """Return both sides of `(a op b)`, None if the text is anything else."""
    if not text.startswith("(") or not text.endswith(")"):
        return None
    depth, found = 0, []
    for place, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if depth == 0 and place < len(text) - 1:
            return None
        if depth == 1 and character == " ":
            found += [(place, o) for o in operators if text.startswith(o, place)]
    if len(found) != 1:
        return None
    place, operator = found[0]
    return [text[1:place], text[place + len(operator) : -1]]


def split_and(text: str) -> list[str]:
    """Return the parts between ANDs outside all brackets."""
    parts, depth, start = [], 0, 0
    for place, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if depth == 0 and text.startswith(" AND ", place):
            parts.append(text[start:place])
            start = place + 5
    return [*parts, text[start:]]


def parts_of(line: str) -> list[str]:
    """Return the expressions in a line of a normalized plan."""
    head, _, rest = line.partition(" ")
    if head == "Join":
        rest = rest.partition(" ")[2]
    if head in ("Filter", "Join"):
        return [part for part in split_and(rest) if part]
    if head in ("outputs", "branch"):
        return split_list(rest)
    return split_list(rest[rest.find("[") + 1 : rest.rfind("]")]) if "[" in rest else []
