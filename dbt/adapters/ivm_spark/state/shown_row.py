"""What one row of the state shows: the view, row by row, for the view's own changes.

HAVING and the expressions above it are conditions and values over a row of the state. So the change
of that row gives the change of the rows that it shows.
"""

from __future__ import annotations

import base64
import json
from dataclasses import asdict, dataclass

from dbt.adapters.ivm_spark.algebra.catalog import quote
from dbt.adapters.ivm_spark.algebra.dialect import to_sql
from dbt.adapters.ivm_spark.algebra.tree import Generate, Scan
from dbt.adapters.ivm_spark.sql.rewrite.for_each_row import peeled
from dbt.adapters.ivm_spark.state.accumulators import COUNT
from dbt.adapters.ivm_spark.state.layout import Layout, Style
from dbt.adapters.ivm_spark.state.visible import stored_names, stored_value, typed_top

_NOT_GROUPED = ("map<", "variant")

Outputs = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ShownRow:
    """What one row of the state shows of the view.

    Attributes:
        columns: the view's columns by name, as SQL over a row of the state.
        conditions: the row is shown if all of them hold.
        keys: the state's columns that no two shown rows have in common, none if the rows are a bag.
        copies: the column that counts how often the row is shown, empty if it is shown once.
    """

    columns: tuple[tuple[str, str], ...]
    conditions: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    copies: str = ""

    @property
    def shown_keys(self) -> tuple[str, ...]:
        """Return the view's columns that show the keys as they are, none unless each is shown."""
        shown = {value: name for name, value in self.columns}
        found = tuple(shown.get(quote(key), "") for key in self.keys)
        return found if all(found) else ()

    def encode(self) -> str:
        """Return the text for a table property."""
        text = json.dumps(asdict(self), separators=(",", ":"))
        return base64.urlsafe_b64encode(text.encode()).decode()


def decode_row(text: str) -> ShownRow:
    """Return the row that `encode` wrote. Raises ValueError for another text."""
    facts = json.loads(base64.urlsafe_b64decode(text))
    return ShownRow(
        columns=tuple((name, value) for name, value in facts["columns"]),
        conditions=tuple(facts["conditions"]),
        keys=tuple(facts["keys"]),
        copies=facts["copies"],
    )


def shown_row(layout: Layout, types: dict[str, str], outputs: Outputs) -> ShownRow | None:
    """Return what a row of a state of this layout shows.

    It is None if that depends on other rows (LIMIT). The arguments are those of `visible`.
    """
    top = typed_top(layout, types, [kind for _, kind in outputs])
    found = peeled(top)
    repeated = isinstance(found.base, Generate) and isinstance(found.base.input, Scan)
    if not repeated and not isinstance(found.base, Scan):
        return None
    return ShownRow(
        columns=tuple(
            (name, to_sql(found.values[column]))
            for (name, _), column in zip(outputs, top.columns, strict=True)
        ),
        conditions=tuple(to_sql(condition) for condition in found.conditions),
        keys=layout.identity if layout.style is Style.GROUPS else (),
        copies=COUNT if repeated else "",
    )


def stored_row(outputs: Outputs) -> ShownRow | None:
    """Return what a stored row of an unmaintained query shows, None if rows cannot be compared."""
    if any(sign in kind.lower() for _, kind in outputs for sign in _NOT_GROUPED):
        return None
    names = stored_names(outputs)
    return ShownRow(
        tuple(
            (name, to_sql(stored_value(stored, kind)))
            for stored, (name, kind) in zip(names, outputs, strict=True)
        )
    )
