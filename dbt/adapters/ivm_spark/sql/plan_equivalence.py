"""Plan equivalence: proves that a tree means what Spark reads in the user's text.

The tree, written back as SQL, must have the same plan as the text. The comparison uses the
optimized logical plans that EXPLAIN EXTENDED prints for both.

Normalization first removes differences that can't change a result:
1. It replaces expression ids and names by what they stand for.
2. It folds Projects into the operators above them.
3. It sorts conjuncts, and removes `isnotnull` where other conditions imply it.
4. It drops hints, and operators that only say where rows are computed.

The relational skeleton remains, with every expression spelled out over the columns of the scans.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from typing import NamedTuple

from dbt.adapters.ivm_spark.algebra.functions import AGGREGATES
from dbt.adapters.ivm_spark.sql.plan_nulls import without_implied
from dbt.adapters.ivm_spark.sql.plan_pushed import with_pushed
from dbt.adapters.ivm_spark.sql.plan_text import (
    IDENTIFIED,
    alias_of,
    conjuncts,
    lists,
    split_list,
)
from dbt.adapters.ivm_spark.sql.plan_tree import (
    PLACING,
    Operator,
    Printed,
    UnreadableError,
    check_inputs,
    filtered,
    printed_tree,
)

_SECTION = re.compile(r"== Optimized Logical Plan ==\n(.*?)\n\n== Physical Plan ==(.*)", re.DOTALL)
_NAMED = re.compile(r"(?:`[^`]*`|[\w.]+)?#(\d+)L?")
_PLAIN = re.compile(r"[\w.]+")
_HINT = re.compile(r", (?:left|right)Hint=\([^)]*\)")
_ASSERTION = re.compile(
    r"(map\((?:keys: \[errorMessage\], values: \[|errorMessage, ))'.*?' is not true!"
    r"(?=\]?\), NullType\))"
)
"""The message of assert_true(condition). It quotes the condition by its column names, and is no
part of a result."""
_PIVOT = re.compile(r"(?<![\w.`])__pivot_[^#\n]*#(\d+)")
"""A column that a PIVOT makes, whose name is an expression."""
_OF_AGGREGATE = re.compile(r"\bA\d+\.(?=\w+\()")
_UNMARKED = re.compile(r"(?<![\w.])(\w+)\(")
_AGGREGATES = AGGREGATES | {"grouping", "grouping_id"}
_CALL = re.compile(r"\b[A-Za-z_]\w*\(")
_SAME = {"struct": "named_struct", "substr": "substring", "position": "locate"}
"""Synonyms: Spark prints the name that was called, for one and the same expression."""
_CALLED = re.compile(rf"\b({'|'.join(_SAME)})\(")
_UNIT = re.compile(r"\btimestamp(?:add|diff)\(\w+,")
_SUBQUERY = re.compile(r"scalar-subquery#\d+ \[\]")
_MERGED = re.compile(r"Project \[named_struct\((.*)\) AS mergedValue#\d+L?\]")
_MARK = re.compile(r"ExistenceJoin\([^()]*#(\d+)L?\)")
_COLUMN = re.compile(r"@\d+")
_DIGEST = re.compile(r"subquery_[0-9a-f]{16}")
_CUT = re.compile(r"\.\.\. \d+ more fields")
_POSITIONAL = ("Union", "Intersect", "Except")
_GROUP = "gid"
"""The column by which Spark tells apart the rows that it makes for each count(DISTINCT ...)."""
_OF_GROUP = re.compile(r"\(group_(\d+) = (\d+)\)")


def normalized_plan(explained: str) -> str | None:
    """Return the optimized plan without names and ids, None if there is none."""
    found = _normalized(explained)
    return None if found is None else found[0]


def named_plan(explained: str) -> str | None:
    """Return the normalized plan with the names of the columns, for people; None if there is none.

    A subquery is a number, and its plan stands below.
    """
    found = _normalized(explained)
    return None if found is None else found[1].named(found[0])


def _normalized(explained: str) -> tuple[str, _Normalizer] | None:
    found = _SECTION.search(explained)
    if found is None or _CUT.search(found.group(1)):
        return None
    shown = with_pushed(*found.groups())
    if shown is None:
        return None
    plan = _ASSERTION.sub(r"\1assertion", _HINT.sub("", shown))
    root = printed_tree(_PIVOT.sub(r"pivot#\1", plan))
    normalizer = _Normalizer()
    try:
        return None if root is None else (normalizer.normalized(root), normalizer)
    except (UnreadableError, LookupError, ValueError, RecursionError):
        # Spark does not guarantee the text of an operator. A text of another form is not known.
        return None


class _Output(NamedTuple):
    """A column that an operator puts out.

    Attributes:
        meaning: what it computes, in terms of the columns of the scans.
        number: its expression id, empty if it has none.
    """

    meaning: str
    number: str


class _Normalizer:
    """Spells out one plan.

    `_meaning` maps each expression id to its meaning in terms of `@n`, the n-th column of the
    scans, counted from the bottom. For people, `_columns` maps each `@n` to a name, and
    `_subqueries` each digest to the subquery's plan.
    """

    def __init__(self) -> None:
        self._meaning: dict[str, str] = {}
        self._columns: dict[str, str] = {}
        self._scans: dict[str, int] = {}
        self._subqueries: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._count = 0
        self._windows = 0
        self._aggregates = 0
        self._joins = 0
        self._groups: list[dict[str, int]] = []

    def normalized(self, root: Printed) -> str:
        operator, outputs = self._read(root)
        return _written([output.meaning for output in outputs], operator)

    def named(self, plan: str) -> str:
        """Return a plan of this normalizer with names, its subqueries below it."""
        plan = _OF_AGGREGATE.sub("", self._with_names(plan))
        for number, digest in enumerate(dict.fromkeys(_DIGEST.findall(plan)), start=1):
            below = self._subqueries.get(digest, "").replace("\n", "\n   ")
            plan = f"{plan.replace(digest, f'subquery {number}')}\nsubquery {number}\n   {below}"
        return plan

    def _with_names(self, text: str) -> str:
        return _COLUMN.sub(lambda m: self._columns.get(m.group(0), m.group(0)), text)

    def merged(self, root: Printed, value: str) -> str:
        """Return the plan with one value over its outputs as the only output."""
        operator, _ = self._read(root)
        return _written([self._over(value)], operator)

    def _read(self, node: Printed) -> tuple[Operator, list[_Output]]:
        """Return a subtree and its outputs, spelled out. A Project is no operator of its own."""
        check_inputs(node)
        below = [self._read(child) for child in node.children]
        inputs = tuple(operator for operator, _ in below)
        given = [o for _, outputs in below for o in outputs]
        text = self._with_subqueries(node)
        if text.startswith(PLACING):
            return inputs[0], given
        if text.startswith("Project ["):
            return inputs[0], self._outputs(text[len("Project [") : -1])
        if text.startswith("Relation "):
            before = self._count
            columns = text[text.index("[") + 1 : text.rindex("]")]
            for named in map(IDENTIFIED.fullmatch, split_list(columns)):
                if named is not None:
                    self._name(named.group(2), named.group(1))
            spelled = self._over(text)
            self._qualify(text, before)
            return Operator(spelled), self._outputs(columns)
        if text.startswith("Aggregate ["):
            keys, outputs = lists(text[len("Aggregate ") :])
            spelled_keys = sorted(_without_literals([self._over(k) for k in split_list(keys)]))
            head = f"Aggregate [{', '.join(spelled_keys)}]"
            aggregate = Operator(head, inputs=inputs, keys=frozenset(spelled_keys))
            return aggregate, self._of_aggregate(self._outputs(outputs))
        if text.startswith("Window ["):
            return self._window(text, inputs[0], given)
        if text.startswith("WindowGroupLimit ["):
            partitions, _ = lists(text[len("WindowGroupLimit ") :])
            parts = frozenset(map(self._over, split_list(partitions)))
            return Operator(self._over(text), inputs=inputs, keys=parts), given
        if text.startswith(_POSITIONAL):
            return self._set_operation(text, inputs, [outputs for _, outputs in below])
        if text.startswith("Generate "):
            head, generated, dropped = self._generate(text)
            kept = [o for place, o in enumerate(given) if place not in dropped]
            return Operator(head, inputs=inputs), [*kept, *generated]
        if text.startswith("Expand "):
            head, expanded = self._expand(text)
            return Operator(head, inputs=inputs), expanded
        mark = _MARK.search(text) if text.startswith("Join ") else None
        if mark is not None:
            given = [*below[0][1], _Output(self._new(mark.group(1)), mark.group(1))]
            text = _MARK.sub("ExistenceJoin", text)
        if text.startswith(("Join LeftSemi", "Join LeftAnti")):
            given = below[0][1]
        head, conditions = self._conditions(text)
        if head.startswith("Join "):
            given = self._of_join(head, given, len(below[0][1]))
        operator = Operator(head, conditions, inputs)
        if head == "Filter" and inputs[0].kind == "Window":
            operator = _filter_of_windows(conditions, inputs[0])
        return operator, given

    def _of_aggregate(self, outputs: list[_Output]) -> list[_Output]:
        """Return the outputs of groups, with their aggregates told apart from those of others.

        The calls alone are marked: an expression over them may be computed here or above.
        """
        self._aggregates += 1

        def marked(call: re.Match[str]) -> str:
            own = call.group(1) in _AGGREGATES
            return f"A{self._aggregates}.{call.group()}" if own else call.group()

        return [self._renamed(o, _UNMARKED.sub(marked, o.meaning)) for o in outputs]

    def _of_join(self, head: str, given: list[_Output], left: int) -> list[_Output]:
        """Return the outputs of a join. A value computed below is NULL where a row has no partner.

        It would not be if it were computed above the join, where only its columns are NULL.
        """
        padded = {
            "Join LeftOuter": range(left, len(given)),
            "Join RightOuter": range(left),
            "Join FullOuter": range(len(given)),
        }.get(head, range(0))
        self._joins += 1
        return [
            self._renamed(o, f"or_null_{self._joins}({o.meaning})")
            if place in padded and not _COLUMN.fullmatch(o.meaning)
            else o
            for place, o in enumerate(given)
        ]

    def _renamed(self, output: _Output, meaning: str) -> _Output:
        if output.number:
            self._meaning[output.number] = meaning
        return output._replace(meaning=meaning)

    def _with_subqueries(self, node: Printed) -> str:
        """Return the text with a digest in place of each scalar subquery.

        In an optimized plan subqueries are no longer correlated, so each has a meaning of its own.
        """
        pieces = _SUBQUERY.split(node.text)
        if len(pieces) != len(node.subqueries) + 1:
            raise UnreadableError
        spelled = pieces[0]
        for subquery, rest in zip(node.subqueries, pieces[1:], strict=True):
            digest, rest, plan = _computed(subquery, rest)
            self._subqueries[digest] = plan
            spelled += digest + rest
        return spelled

    def _conditions(self, text: str) -> tuple[str, tuple[str, ...]]:
        """Return the head of an operator, and the conditions of a Filter or Join."""
        if not text.startswith(("Filter ", "Join ")):
            return self._over(text), ()
        head, _, condition = text.partition(" ")
        if head == "Join":
            kind, _, condition = condition.partition(", ")
            head = f"Join {'Inner' if kind == 'Cross' else kind}"
        parts = {self._over(c) for c in conjuncts(condition)} if condition else set()
        return head, tuple(sorted(parts))

    def _set_operation(
        self, text: str, inputs: tuple[Operator, ...], branches: list[list[_Output]]
    ) -> tuple[Operator, list[_Output]]:
        """Return a set operation and its outputs, which are columns of their own.

        They have the ids of the first branch. A column is what all branches have at its place. The
        order of the columns, and one that is there twice, mean nothing.
        """
        columns = [tuple(o.meaning for o in place) for place in zip(*branches, strict=True)]
        meaning = {}
        for column in sorted(set(columns)):
            meaning[column] = at = f"@{self._count}"
            self._columns[at] = self._with_names(column[0])
            self._count += 1
        of_branches = tuple(zip(*meaning, strict=True))
        outputs = []
        for column, (_, number) in zip(columns, branches[0], strict=True):
            self._meaning[number] = meaning[column]
            outputs.append(_Output(meaning[column], number))
        own = tuple(meaning.values())
        return Operator(text, inputs=inputs, branches=of_branches, columns=own), outputs

    def _generate(self, text: str) -> tuple[str, list[_Output], set[int]]:
        """Read `Generate call, [dropped inputs,] outer, alias, [outputs]`.

        The alias has no meaning; a generator in a SELECT list has none.
        """
        call, *rest, outputs = split_list(text[len("Generate ") :])
        generated = self._outputs(outputs[1:-1])
        dropped = {int(n) for n in split_list(rest.pop(0)[1:-1])} if rest[0][:1] == "[" else set()
        head = f"Generate {self._over(call)}, {rest[0]}, {len(generated)}"
        return head, generated, dropped

    def _expand(self, text: str) -> tuple[str, list[_Output]]:
        """Read `Expand [[values], [values]], [outputs]`.

        An output means its value in each list. So columns that only pass through, and their order,
        do not matter. The order of the lists means nothing either. The number by which Spark tells
        apart the lists for several count(DISTINCT ...) is the list's place in their new order.
        """
        lists, outputs = split_list(text[len("Expand ") :])
        rows = [[self._over(v) for v in split_list(row[1:-1])] for row in split_list(lists[1:-1])]
        named = [IDENTIFIED.fullmatch(output) for output in split_list(outputs[1:-1])]
        group = next((n for n, of in enumerate(named) if of and of.group(1) == _GROUP), None)
        # Without the order of the columns, which is no more certain than that of the lists.
        rows.sort(key=lambda row: sorted(v for place, v in enumerate(row) if place != group))
        if group is not None:
            self._groups.append({row[group]: place for place, row in enumerate(rows)})
        spelled = []
        for place, of in enumerate(named):
            values = [row[place] for row in rows]
            meaning = values[0] if len(set(values)) == 1 else f"expanded({'|'.join(values)})"
            if place == group:
                meaning = f"group_{len(self._groups) - 1}"
            number = of.group(2) if of is not None else ""
            if of is not None:
                self._meaning[number] = meaning
                self._name(number, of.group(1))
            spelled.append(_Output(meaning, number))
        return f"Expand {len(rows)}", spelled

    def _of_group(self, found: re.Match[str]) -> str:
        groups = self._groups[int(found.group(1))]
        return f"(group_{found.group(1)} is {groups[found.group(2)]})"

    def _window(
        self, text: str, below: Operator, given: list[_Output]
    ) -> tuple[Operator, list[_Output]]:
        """Return a Window and its outputs.

        Windows add columns and leave the rows as they are, so consecutive windows are over the same
        rows. They become one operator, and each column says which rows it is over. Its keys are
        those that all the windows have.
        """
        items, *specs = split_list(text[len("Window ") :])
        keys = (
            frozenset(self._over(k) for k in split_list(specs[0][1:-1])) if specs else frozenset()
        )
        if below.kind == "Window":
            windows = replace(below, keys=below.keys & keys)
        else:
            self._windows += 1
            windows = Operator(f"Window {self._windows}", inputs=(below,), keys=keys)
        outputs = []
        for part in split_list(items[1:-1]):
            before, name, number = alias_of(part)
            meaning = f"({self._over(before)} in {windows.head})"
            self._meaning[number] = meaning
            self._name(number, name)
            outputs.append(_Output(meaning, number))
        return windows, [*given, *outputs]

    def _outputs(self, text: str) -> list[_Output]:
        """Return the outputs; an alias gives its id the meaning of its expression."""
        found = []
        for part in split_list(text):
            before, name, number = alias_of(part)
            meaning = self._over(before)
            if number:
                self._meaning[number] = meaning
                self._name(number, name)
            else:
                bare = IDENTIFIED.fullmatch(part)
                number = bare.group(2) if bare is not None else ""
            found.append(_Output(meaning, number))
        return found

    def _over(self, text: str) -> str:
        for number, name in self._names.items():
            if f"#{number}" in text:
                # A reference may spell a column's name in another case than its definition.
                spelled = re.escape(f"{name}#{number}") + r"(?!\d)"
                text = re.sub(spelled, f"c#{number}", text, flags=re.IGNORECASE)
        text = _NAMED.sub(lambda m: self._new(m.group(1), m.group(0)), text)
        if self._groups:
            text = _OF_GROUP.sub(self._of_group, text)
        text = _CALL.sub(lambda m: m.group(0).lower(), text)
        text = _CALLED.sub(lambda m: f"{_SAME[m.group(1)]}(", text)
        return _UNIT.sub(lambda m: m.group(0).lower(), text)

    def _name(self, number: str, name: str) -> None:
        """Note the name of an expression if it is not one word, so that its id is found in it."""
        if number and not _PLAIN.fullmatch(name):
            self._names[number] = name

    def _new(self, number: str, shown: str = "") -> str:
        if number not in self._meaning:
            self._meaning[number] = at = f"@{self._count}"
            self._columns[at] = shown.partition("#")[0] or at
            self._count += 1
        return self._meaning[number]

    def _qualify(self, scan: str, first: int) -> None:
        """Give the columns of a scan its table's name, with a number from its second scan on."""
        table = scan[len("Relation ") : scan.index("[")].split(".")[-1]
        self._scans[table] = number = self._scans.get(table, 0) + 1
        for place in range(first, self._count):
            scanned = table if number == 1 else f"{table}@{number}"
            self._columns[f"@{place}"] = f"{scanned}.{self._columns[f'@{place}']}"


def _written(outputs: list[str], root: Operator) -> str:
    return "\n".join([f"outputs {', '.join(outputs)}", *without_implied(root).lines()])


def _filter_of_windows(conditions: tuple[str, ...], windows: Operator) -> Operator:
    """Return a Filter over windows, with `isnotnull` of their keys below them.

    `isnotnull` of a key of all the windows removes a whole partition. It means the same below and
    above the windows, and Spark infers it at either place.
    """
    of_keys = {f"isnotnull({key})" for key in windows.keys}
    moved = tuple(c for c in conditions if c in of_keys)
    left = tuple(c for c in conditions if c not in of_keys)
    if moved:
        windows = replace(windows, inputs=(_below_limits(windows.inputs[0], moved),))
    return filtered(windows, left)


def _below_limits(operator: Operator, conditions: tuple[str, ...]) -> Operator:
    """Return a filter below the limits of whole partitions, if it removes whole partitions too."""
    keys = {f"isnotnull({key})" for key in operator.keys}
    if operator.kind == "WindowGroupLimit" and keys.issuperset(conditions):
        return replace(operator, inputs=(_below_limits(operator.inputs[0], conditions),))
    return filtered(operator, conditions)


def _without_literals(keys: list[str]) -> list[str]:
    """Return the keys of a group without literals, which group nothing.

    If there is nothing else, one literal stands for all, because an input without rows has no
    group.
    """
    others = [key for key in keys if "@" in key or "(" in key]
    return others or ["0"][: len(keys)]


def _computed(subquery: Printed, rest: str) -> tuple[str, str, str]:
    """Return a digest of a scalar subquery, the text after it, and the subquery's plan with names.

    Spark merges subqueries over one relation into a struct of their values. The text then continues
    with the name of the value.
    """
    normalizer = _Normalizer()
    merged = _MERGED.fullmatch(subquery.text)
    if merged is None or not rest.startswith("."):
        spelled = normalizer.normalized(subquery)
    else:
        parts = split_list(merged.group(1))
        names, values = parts[0::2], parts[1::2]
        found = [n for n in names if rest.startswith(f".{n}")]
        name = max(found, key=len, default="")
        if names.count(name) != 1 or len(names) != len(values):
            raise UnreadableError
        spelled = normalizer.merged(subquery.children[0], values[names.index(name)])
        rest = rest[len(name) + 1 :]
    digest = f"subquery_{hashlib.sha256(spelled.encode()).hexdigest()[:16]}"
    return digest, rest, normalizer.named(spelled)
