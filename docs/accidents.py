"""Writes docs/accidents.md from accidents.yml: each accident, what happens, and its test.

python docs/accidents.py          (or `make docs`)
"""

from __future__ import annotations

from pathlib import Path

import yaml

ACCIDENTS = Path(__file__).with_name("accidents.yml")
PAGE = Path(__file__).with_name("accidents.md")

_HEAD = """# Every accident, and what happens

A view equals its query at the recorded versions of its sources, whatever happens; a run that fails
changes nothing. Each line is done for real in the test that it names. Written by `make docs` from
`accidents.yml`; CI checks that the tests exist. Codes in capitals are
[reason codes](reference.md#reason-codes): the model was refreshed in full, and says so. Under
`refresh_policy: incremental_strict` it fails with the same reason instead and changes nothing.
"""


def page() -> str:
    """The page as accidents.yml says it."""
    parts = [_HEAD]
    for section in yaml.safe_load(ACCIDENTS.read_text()):
        lines = [f"## {section['title']}\n", "| accident | what happens | test |", "|---|---|---|"]
        for row in section["accidents"]:
            path, _, test = row["test"].partition("::")
            link = f"[`{test.replace('::', '.')}`](../{path})"
            cells = (row["accident"], row["outcome"], link)
            lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page())
