"""The code blocks of README.md, CONTRIBUTING.md and docs/, with what the text says of them.

A comment right above a block is for the tests:
<!-- full: CODE -->   the model is refreshed in full, with that reason, which the page names
<!-- file: path -->   the block is that file of the repository
<!-- write: path -->  the reader puts the block into that file of integration_project
<!-- fails -->        the commands are expected to fail
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))

_FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>\w*)[^\n]*\n(?P<code>.*?)^(?P=indent)```$", re.M | re.S
)
_COMMENTS = re.compile(r"(?:^ *<!-- \w+(?:: [^\n]*?)? -->\n)+\Z", re.M)
_COMMENT = re.compile(r"<!-- (\w+)(?:: (.*?))? -->")
_COMMAND = re.compile(r"(?:\$ )?((?:make|dbt|pip|python|pytest|\.venv/bin/python|\.ci/run)\b.*)")
_INLINE = re.compile(r"`((?:make|dbt) [^`]+)`")
DIRECTIVES = {"full", "file", "write", "fails"}


@dataclass(frozen=True)
class Block:
    """language: as the fence says; said: the directives above it, by name; line: of the fence."""

    page: Path
    line: int
    language: str
    code: str
    said: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line}"

    @property
    def commands(self) -> list[str]:
        """The commands in it: every line of a console, and what looks like one in a block that
        does not say what it is."""
        lines = [line.strip() for line in self.code.splitlines() if line.strip()]
        if self.language == "console":
            return [line.removeprefix("$ ") for line in lines]
        found = [_COMMAND.fullmatch(line) for line in lines] if not self.language else []
        return [match[1] for match in found if match]


def blocks(page: Path) -> list[Block]:
    """The blocks of a page, in its order."""
    text = page.read_text()
    found = []
    for match in _FENCE.finditer(text):
        above = _COMMENTS.search(text[: match.start()])
        said = dict(_COMMENT.findall(above[0])) if above else {}
        line = text.count("\n", 0, match.start()) + 1
        code = textwrap.dedent(match["code"]).strip("\n")
        found.append(Block(page, line, match["language"], code, said))
    return found


def inline_commands(page: Path) -> list[str]:
    """What a page's prose calls a command of make or dbt."""
    return _INLINE.findall(_FENCE.sub("", page.read_text()))


def prose(page: Path) -> str:
    """A page without its comments."""
    return _COMMENT.sub("", page.read_text())
