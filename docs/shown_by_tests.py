"""Write the pages on which a test shows every line: each case, what happens, and the test.

python docs/shown_by_tests.py          (or `make docs`)
"""

from __future__ import annotations

from pathlib import Path

import yaml

DOCS = Path(__file__).parent
HEADS = {
    "accidents": """# Every accident, and what happens

Whatever happens, a view equals its query at the recorded versions of its sources. A run that fails
changes nothing. Each line names the test that does it for real. `make docs` writes this page from
`accidents.yml`, and CI checks that the tests exist.

Codes in capitals are [reason codes](reference.md#reason-codes): the refresh is full, and the
response has the code. With `refresh_policy: incremental_strict`, the model fails with the same
code instead, and nothing changes.
""",
    "dbt-features": """# dbt's features, and what they do with an ivm model

Wherever it makes sense, a feature does with an ivm model what it does with any model. Each line
names the test that does it for real. `make docs` writes this page from `dbt-features.yml`, and CI
checks that the tests exist.
""",
    "matrix": """# What runs where

Each line names a test that shows it; a line without one has not been tested or is not supported.
Versions, methods, catalogs, formats and stores have a table each. Not every combination of them is
tested: unless a line says otherwise, its test has Spark 4.1 with Delta 4.3, `method: session`,
Spark's own catalog, Delta tables with a change data feed, and a local folder. `make docs` writes
this page from `matrix.yml`, and CI checks that the tests exist.

What platforms offer by their own documentation is [on another page](platforms.md).
""",
}
COLUMNS = {"accidents": "accident", "dbt-features": "feature", "matrix": "what"}


def page(name: str) -> str:
    """Return a page, made from its .yml file."""
    parts = [HEADS[name]]
    for section in yaml.safe_load((DOCS / f"{name}.yml").read_text()):
        head = f"| {COLUMNS[name]} | what happens | test |"
        lines = [f"## {section['title']}\n", head, "|---|---|---|"]
        for row in section["cases"]:
            path, _, test = row["test"].partition("::")
            link = f"[`{test.replace('::', '.')}`](../{path})" if test else "-"
            cells = (row["case"], row["outcome"], link)
            lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    for name in HEADS:
        (DOCS / f"{name}.md").write_text(page(name))
