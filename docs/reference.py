"""Write docs/reference.md: configs, responses, reason codes and macros, as the code has them.

python docs/reference.py          (or `make docs`)
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from enum import Enum
from pathlib import Path
from typing import Any

import yaml
from dbt.adapters.contracts.connection import AdapterResponse

from dbt.adapters.ivm_spark.algebra.reasons import ReasonCode
from dbt.adapters.ivm_spark.plan.config import KEYS, ConfigError, IvmConfig, read_config
from dbt.adapters.ivm_spark.plan.plan import RefreshKind, Technique
from dbt.adapters.ivm_spark.refresh.response import IvmAdapterResponse
from dbt.include import ivm_spark

TEXTS: dict[str, Any] = yaml.safe_load(Path(__file__).with_suffix(".yml").read_text())
PAGE = Path(__file__).with_suffix(".md")
MACROS = Path(ivm_spark.PACKAGE_PATH) / "macros"

_HEAD = """# Reference

`make docs` writes this page from the code and from the comments of its macros.
"""
_FIELDS = {"on_configuration_change": "on_change"}
"""The configs whose field of IvmConfig has another name."""
_MACRO = re.compile(
    r"(?:\{#-?(?P<comment>(?:(?!#\}).)*?)-?#\}\s*)?"
    r"\{%-?\s*(?P<kind>macro|test)\s+(?P<name>\w+)\s*\((?P<arguments>[^%]*?)\)\s*-?%\}",
    re.DOTALL,
)


@dataclass(frozen=True)
class Macro:
    """A macro or a generic test of the package.

    Attributes:
        kind: `macro` or `test`.
        name: its name.
        arguments: its arguments, as written.
        text: the comment above it.
        overridable: whether a project can replace it by its own.
    """

    kind: str
    name: str
    arguments: str
    text: str
    overridable: bool

    @property
    def public(self) -> bool:
        """Whether users call it: it is a test, or its comment shows a call of it."""
        called = re.search(rf"(run-operation|\{{\{{|\(|from) *{self.name}\b", self.text)
        return self.kind == "test" or called is not None


def macros() -> list[Macro]:
    """Return the macros of the package, ordered by file."""
    return [m for file in sorted(MACROS.rglob("*.sql")) for m in macros_in(file.read_text())]


def macros_in(text: str) -> Iterator[Macro]:
    """Yield the macros and generic tests that the text of a file defines."""
    for found in _MACRO.finditer(text):
        name = found["name"]
        yield Macro(
            found["kind"],
            name,
            " ".join(found["arguments"].split()),
            inspect.cleandoc(found["comment"] or ""),
            f"dispatch('{name}'" in text,
        )


def page() -> str:
    """Return the page."""
    return "\n".join([_HEAD, *_configs(), *_answers(), *_reasons(), *_macros()])


def _configs() -> Iterator[str]:
    yield "## Configs of a model\n"
    yield "Set them in the model's `config()`, in a `.yml` file or in `dbt_project.yml` (`+`).\n"
    yield "| config | default | meaning |"
    yield "|---|---|---|"
    for key, text in TEXTS["configs"].items():
        yield f"| `{key}` | {default(key)} | {text} |"
    yield (
        f"\nThe configs from `{KEYS[0]}` to `{KEYS[-1]}` are this adapter's own. The others mean "
        "what they mean in dbt-spark and dbt-databricks, and apply to the table with the state. If "
        "a config is invalid, the model fails before anything is written:\n"
    )
    yield "| config | error |"
    yield "|---|---|"
    for key, value in TEXTS["wrong"].items():
        yield f"| `{key}` | {said_of({key: value})} |"
    yield f"| `refresh_polcy` | {said_of({'refresh_polcy': 'full'})} |\n"


def said_of(config: dict[str, Any]) -> str:
    """Return the error for an invalid config."""
    try:
        read_config(config)
    except ConfigError as error:
        return str(error)
    raise AssertionError(f"{config} is allowed")


def default(key: str) -> str:
    """Return the default of a config as a project writes it, and the other values of a choice."""
    name = _FIELDS.get(key, key)
    if name not in {field.name for field in fields(IvmConfig)}:
        return "none"
    value = getattr(IvmConfig(), name)
    if isinstance(value, Enum):
        others = (f"`{choice.value}`" for choice in type(value) if choice is not value)
        return f"`{value.value}`; or {', '.join(others)}"
    value = list(value) if isinstance(value, tuple) else value
    return f"`{str(value).lower()}`" if value != "" else '`""`'


def _answers() -> Iterator[str]:
    yield "## The response of a run\n"
    yield "The `adapter_response` of an ivm model, in `target/run_results.json`:\n"
    yield "| field | |"
    yield "|---|---|"
    inherited = {field.name for field in fields(AdapterResponse)}
    for field in fields(IvmAdapterResponse):
        if field.name not in inherited:
            yield f"| `{field.name}` | {TEXTS['response'][field.name]} |"
    yield from _values("`refresh_kind` |", RefreshKind, TEXTS["kinds"])
    yield from _values("`technique` | what is computed", Technique, TEXTS["techniques"])
    yield ""


def _values(head: str, values: type[RefreshKind] | type[Technique], texts: Any) -> Iterator[str]:
    yield f"\n| {head} |"
    yield "|---|---|"
    for value in values:
        yield f"| `{value.value}` | {texts[value.value]} |"


def _reasons() -> Iterator[str]:
    yield "## Reason codes\n"
    yield (
        "Every full refresh after the first build has a reason code. So has a first build that is "
        "not maintained.\n"
    )
    yield "| code | what happened | what to do |"
    yield "|---|---|---|"
    for code in ReasonCode:
        yield f"| `{code.value}` | {_plain(code.sentence)} | {_plain(code.remedy)} |"
    yield ""


def _macros() -> Iterator[str]:
    found = macros()
    yield "## Macros and tests\n"
    for macro in found:
        if macro.public:
            kind = " (a generic test)" if macro.kind == "test" else ""
            yield f"### {macro.name}{kind}\n"
            yield f"```jinja\n{macro.name}({macro.arguments})\n```\n"
            yield from _paragraphs(macro.text)
    yield "### Macros that a project can override\n"
    yield (
        "These macros make the statements of a refresh. To replace one, define a macro "
        "`ivm_spark__<name>` in your project. dbt finds it by "
        "[dispatch](https://docs.getdbt.com/reference/dbt-jinja-functions/dispatch).\n"
    )
    yield "| macro | what it does |"
    yield "|---|---|"
    for macro in found:
        if macro.overridable:
            text = " ".join(macro.text.split()).replace("|", "\\|")
            yield f"| `{macro.name}({macro.arguments})` | {_plain(text)} |"
    yield ""


def _paragraphs(text: str) -> Iterator[str]:
    """Yield a comment's prose as Markdown, and its tables (columns apart by spaces) as text."""
    for paragraph in text.split("\n\n"):
        if not paragraph.strip():
            continue
        if re.search(r"^ |\S {2,}\S", paragraph, re.MULTILINE):
            yield f"```text\n{inspect.cleandoc(paragraph)}\n```\n"
        else:
            yield f"{_plain(paragraph)}\n"


def _plain(text: str) -> str:
    """Return text as Markdown, with what is in angle brackets, and our own names, as code."""
    return re.sub(r"<\w+>|(?<![`\w])__ivm\w*(?![`\w])", r"`\g<0>`", text)


if __name__ == "__main__":
    PAGE.write_text(page())
