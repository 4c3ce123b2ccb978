"""Writes the pages whose every line is shown by a test: each case, what happens, and the test.

python docs/shown_by_tests.py          (or `make docs`)
"""

from __future__ import annotations

from pathlib import Path

import yaml

DOCS = Path(__file__).parent
HEADS = {
    "accidents": """# Every accident, and what happens

A view equals its query at the recorded versions of its sources, whatever happens; a run that fails
changes nothing. Each line is done for real in the test that it names. Written by `make docs` from
`accidents.yml`; CI checks that the tests exist. Codes in capitals are
[reason codes](reference.md#reason-codes): the model was refreshed in full, and says so. Under
`refresh_policy: incremental_strict` it fails with the same reason instead and changes nothing.
""",
    "dbt-features": """# dbt's features, and what they do with an ivm model

What they do with any model, wherever that has a meaning. Each line is done for real in the test
that it names. Written by `make docs` from `dbt-features.yml`; CI checks that the tests exist.
""",
}
COLUMNS = {"accidents": "accident", "dbt-features": "feature"}


def page(name: str) -> str:
    """A page as its .yml says it."""
    parts = [HEADS[name]]
    for section in yaml.safe_load((DOCS / f"{name}.yml").read_text()):
        head = f"| {COLUMNS[name]} | what happens | test |"
        lines = [f"## {section['title']}\n", head, "|---|---|---|"]
        for row in section["cases"]:
            path, _, test = row["test"].partition("::")
            link = f"[`{test.replace('::', '.')}`](../{path})"
            cells = (row["case"], row["outcome"], link)
            lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    for name in HEADS:
        (DOCS / f"{name}.md").write_text(page(name))
