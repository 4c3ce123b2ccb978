"""Tells how Spark's plan for a reconstructed query differs from its plan for the model.

The plans are those that `plan_equivalence` compares, with the names of their columns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff
from itertools import zip_longest

from dbt.adapters.ivm_spark.sql.plan_equivalence import named_plan
from dbt.adapters.ivm_spark.sql.plan_text import parts_of

_TOKEN = re.compile(r"'(?:[^'\\]|\\.)*'|[\w.@`]+|\s+|.")
_WORD = re.compile(r"[\w.@`]+")
_SCAN = re.compile(r"^( *)Relation (?:spark_catalog\.)?([^\[]*)\[.*$")
_INFERRED = re.compile(r"isnotnull\([\w.@`]+\)")
_NESTING = "the model's plan nests the same operators in another way than the reconstruction's"
_NAME = re.compile(r"[A-Za-z_]")
_SHOWN = 80
"""Characters of an expression in a sentence."""
_BEFORE = 20
"""Characters before a difference in a long expression."""
_CONTEXT = 2
"""Lines around a difference."""
_LINES = 60
"""Lines of a diff."""
_WIDTH = 400
"""Characters of a line in a diff."""
_CLAUSES = {
    "outputs": "in the select list",
    "Filter": "in a filter",
    "Join": "in the join condition",
    "Aggregate": "in GROUP BY",
    "Expand": "in the grouping sets",
    "branch": "in the select list of a set operation",
    "Generate": "in a table function",
    "Sort": "in ORDER BY",
}
_OPERATORS = {
    "outputs": "a select list",
    "Filter": "a filter",
    "Join": "a join",
    "Join Inner": "an inner join",
    "Join LeftOuter": "a left join",
    "Join RightOuter": "a right join",
    "Join FullOuter": "a full join",
    "Join LeftSemi": "a semi join",
    "Join LeftAnti": "an anti join",
    "Aggregate": "a GROUP BY",
    "Expand": "grouping sets",
    "Scan": "a scan of",
    "Generate": "a table function",
    "Window": "a window",
    "Union": "a union",
}


@dataclass(frozen=True)
class PlanDifference:
    """What two plans differ in.

    Attributes:
        sentence: the first cause, in the words of a query.
        diff: a unified diff of the plans, without expression ids.
    """

    sentence: str
    diff: tuple[str, ...] = ()


def plan_difference(model: str, reconstruction: str) -> PlanDifference | None:
    """Return what the plans of two EXPLAIN EXTENDED differ in; None if nothing that is known of."""
    theirs, ours = _lines(model), _lines(reconstruction)
    if not theirs or not ours:
        whose = "the model" if not theirs else "the reconstructed SQL"
        return PlanDifference(f"Spark's plan for {whose} has an operator that can't be compared")
    if theirs == ours:
        return None
    # A line spells out what the lines below it compute, so the lowest difference is the cause.
    lowest = _lowest(_written(theirs), _written(ours)) or _lowest(theirs, ours)
    sentence = _NESTING if lowest is None else _sentence(*lowest)
    lines = list(
        unified_diff(theirs, ours, "the model", "the reconstruction", lineterm="", n=_CONTEXT)
    )
    left_out = len(lines) - _LINES
    shown = [_cut(line, _WIDTH) for line in lines[:_LINES]]
    if left_out > 0:
        shown.append(f"... {left_out} more lines")
    return PlanDifference(sentence, tuple(shown))


def _lines(explained: str) -> list[str]:
    """Return the lines of a plan; of a scan, only the table's name."""
    lines = (named_plan(explained) or "").splitlines()
    return [_SCAN.sub(r"\1Scan \2", line) for line in lines]


def _written(lines: Sequence[str]) -> list[str]:
    """Return the lines without `isnotnull`, which Spark infers from joins and other conditions."""
    kept = []
    for line in lines:
        indent, is_filter, conditions = line.partition("Filter ")
        if is_filter and not indent.strip():
            parts = [p for p in parts_of(f"Filter {conditions}") if not _INFERRED.fullmatch(p)]
            line = f"{indent}Filter {' AND '.join(parts)}" if parts else ""
        kept.append(line)
    return list(filter(None, kept))


def _lowest(theirs: Sequence[str], ours: Sequence[str]) -> tuple[list[str], list[str]] | None:
    """Return the lowest lines that differ, without indentation; None if none do."""
    sides = [[line.strip() for line in lines] for lines in (theirs, ours)]
    codes = SequenceMatcher(None, sides[0], sides[1], autojunk=False).get_opcodes()
    changed = [code for code in codes if code[0] != "equal"]
    if not changed:
        return None
    _, start, end, first, last = changed[-1]
    return sides[0][start:end], sides[1][first:last]


def _sentence(theirs: list[str], ours: list[str]) -> str:
    """Return a sentence about the lowest lines that differ."""
    for line in reversed(theirs):
        other = next((o for o in reversed(ours) if _head(o) == _head(line)), None)
        if other is not None:
            return _within(line, other)
    if not ours:
        return f"the model's plan has {_operator(theirs[-1])}, which the reconstruction lacks"
    if not theirs:
        return f"the reconstruction has {_operator(ours[-1])}, which the model's plan lacks"
    return (
        f"the model's plan has {_operator(theirs[-1])} where the reconstruction has "
        f"{_operator(ours[-1])}"
    )


def _within(line: str, other: str) -> str:
    """Return a sentence about two lines of one operator."""
    parts, others = parts_of(line), parts_of(other)
    lost = [part for part in parts if part not in others]
    gained = [part for part in others if part not in parts]
    if not lost and not gained:
        # The same expressions in another order, or one of them twice.
        lost, gained = _displaced(parts, others)
    clause = _CLAUSES.get(_head(line), f"in {_head(line)}")
    if lost and gained:
        has, instead = _narrowed(lost[0], gained[0])
        return f"the model's plan has {has} {clause} where the reconstruction has {instead}"
    if lost:
        return f"the model's plan has {_quoted(lost[0])} {clause}, which the reconstruction lacks"
    if gained:
        return f"the reconstruction has {_quoted(gained[0])} {clause}, which the model's plan lacks"
    words = _operator(line), _operator(other)
    has, instead = words if words[0] != words[1] else (_quoted(line), _quoted(other))
    return f"the model's plan has {has} where the reconstruction has {instead}"


def _displaced(parts: list[str], others: list[str]) -> tuple[list[str], list[str]]:
    """Return the first part that stands elsewhere, and the one in its place; or nothing."""
    for part, other in zip_longest(parts, others, fillvalue=""):
        if part != other:
            return [p for p in (part,) if p], [o for o in (other,) if o]
    return [], []


def _head(line: str) -> str:
    return re.split(r"[ \[]", line, maxsplit=1)[0]


def _operator(line: str) -> str:
    kind = " ".join(line.split(" ", 2)[:2])
    words = _OPERATORS.get(kind) or _OPERATORS.get(_head(line))
    if words is None:
        return f"the operator {_quoted(line)}"
    parts = ", ".join(parts_of(line)) or (_head(line) == "Scan" and line.partition(" ")[2])
    return f"{words} {_quoted(parts)}" if parts else words


def _narrowed(theirs: str, ours: str) -> tuple[str, str]:
    """Return the parts of two expressions that differ, each a whole expression, in backticks."""
    a, b = _TOKEN.findall(theirs), _TOKEN.findall(ours)
    before = 0
    while before < min(len(a), len(b)) and a[before] == b[before]:
        before += 1
    after = 0
    while after < min(len(a), len(b)) - before and a[-1 - after] == b[-1 - after]:
        after += 1
    while before or after:
        sides = [tokens[before : len(tokens) - after] for tokens in (a, b)]
        if any(_opens(side)[0] for side in sides) or not all("".join(s).strip() for s in sides):
            # A bracket that is closed inside, or nothing at all: more of what is before.
            before, after = (before - 1, after) if before else (before, after - 1)
        elif any(_opens(side)[1] for side in sides) or _is_called(sides, a, after):
            before, after = (before, after - 1) if after else (before - 1, after)
        else:
            break
    shown = ["".join(tokens[before : len(tokens) - after]) for tokens in (a, b)]
    if not any(_NAME.search(text) for text in shown):
        # Two numbers say little without what they are compared with.
        shown = [theirs, ours]
    if max(map(len, shown)) > _SHOWN:
        shown = _around(shown)
    return _quoted(shown[0]), _quoted(shown[1])


def _around(texts: list[str]) -> list[str]:
    """Return two long texts from a little before the first character in which they differ."""
    place = next((n for n, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), 0)
    start = max(0, place - _BEFORE)
    return [f"…{text[start:]}" if start else text for text in texts]


def _opens(tokens: Sequence[str]) -> tuple[int, int]:
    """Return how many brackets are only closed, and how many are only opened."""
    closed = opened = 0
    for token in tokens:
        if token in "([{":
            opened += 1
        elif token in ")]}":
            closed, opened = (closed, opened - 1) if opened else (closed + 1, opened)
    return closed, opened


def _is_called(sides: Sequence[Sequence[str]], tokens: Sequence[str], after: int) -> bool:
    """Return whether a side ends in the name of a function, whose arguments come after it."""
    follows = tokens[len(tokens) - after] if after else ""
    return follows == "(" and any(side and _WORD.fullmatch(side[-1]) for side in sides)


def _quoted(text: str) -> str:
    text = text.strip()
    while text.startswith("(") and text.endswith(")") and _opens(text[1:-1]) == (0, 0):
        text = text[1:-1]
    return f"`{_cut(text, _SHOWN)}`"


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
