"""Whether a command that the docs name is one: its targets, options, macros and files exist."""

from __future__ import annotations

import re
import shlex
from functools import cache

import click
import yaml
from dbt.cli.main import cli

from tests.unit.docs.blocks import ROOT
from tests.unit.docs.generators import generator_of

_CLONE = "/path/to/this/clone"


def wrong_with(command: str) -> str:
    """What is wrong with a command; empty if nothing is."""
    program, *arguments = shlex.split(command, comments=True)
    checks = {"make": _make, "dbt": _dbt, "pip": _pip, "cd": _paths, "source": _nothing}
    if program in checks:
        return checks[program](arguments)
    if program.endswith(("python", "pytest")):
        return _paths([a for a in arguments if "/" in a])
    return _paths([program])


def _nothing(_: list[str]) -> str:
    return ""


def _paths(paths: list[str]) -> str:
    return ", ".join(f"no file {p}" for p in paths if not (ROOT / p).exists())


def _make(arguments: list[str]) -> str:
    text = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([\w-]+):", text, re.M))
    variables = set(re.findall(r"^(\w+) \?=", text, re.M))
    unknown = [
        a for a in arguments if (a.split("=")[0] not in variables if "=" in a else a not in targets)
    ]
    return f"make has no {unknown[0]}" if unknown else ""


def _pip(arguments: list[str]) -> str:
    extras = set(re.findall(r"^(\w+) = \[", (ROOT / "pyproject.toml").read_text(), re.M))
    for requirement in (a for a in arguments[1:] if not a.startswith("-")):
        name, _, extra = requirement.strip("'").partition("[")
        if name not in (_CLONE, "dbt-ivm-spark", "."):
            return f"pip does not find {name} by our package"
        if extra and not set(extra.rstrip("]").split(",")) <= extras:
            return f"no extra {extra}"
    return ""


def _dbt(arguments: list[str]) -> str:
    command: click.Command = cli
    options = _options(cli)
    left = list(arguments)
    while left:
        word = left.pop(0)
        if word.startswith("-"):
            if word not in options:
                return f"dbt has no option {word}"
            if options[word] and left:
                left.pop(0)
        elif isinstance(command, click.Group):
            if word not in command.commands:
                return f"dbt has no command {word}"
            command = command.commands[word]
            options |= _options(command)
        elif command.name == "run-operation":
            return _operation(word, left)
        else:
            return f"dbt {command.name} takes no {word}"
    return ""


def _options(command: click.Command) -> dict[str, bool]:
    """The options of a command, and whether a value follows."""
    return {
        name: not option.is_flag
        for option in command.params
        if isinstance(option, click.Option)
        for name in (*option.opts, *option.secondary_opts)
    }


def _operation(macro: str, left: list[str]) -> str:
    signatures = macro_arguments()
    if macro not in signatures:
        return f"no macro {macro}"
    given = yaml.safe_load(left[left.index("--args") + 1]) if "--args" in left else {}
    unknown = set(given) - set(signatures[macro])
    return f"{macro} has no argument {', '.join(sorted(unknown))}" if unknown else ""


@cache
def macro_arguments() -> dict[str, tuple[str, ...]]:
    """The arguments of each macro and generic test of the package and of integration_project."""
    reference = generator_of("reference")
    shop = (ROOT / "integration_project" / "macros").rglob("*.sql")
    found = [*reference.macros(), *(m for f in shop for m in reference.macros_in(f.read_text()))]
    return {m.name: tuple(re.findall(r"(\w+)(?:=[^,]*)?(?:,|$)", m.arguments)) for m in found}
