"""Every SQL, YAML, Python and console block of README.md, CONTRIBUTING.md and docs/ is right, as
far as that can be told without Spark; test_tutorial.py runs the tutorial's."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jinja2
import pytest
import sqlglot
import yaml
from dbt.adapters.contracts.connection import AdapterResponse
from dbt.artifacts.resources import NodeConfig
from dbt.contracts.graph.unparsed import UnparsedSourceDefinition
from sqlglot import exp

from dbt.adapters.ivm_spark.algebra.reasons import ReasonCode
from dbt.adapters.ivm_spark.impl import IvmSparkConfig
from dbt.adapters.ivm_spark.plan.config import KEYS, ConfigError, read_config
from dbt.adapters.ivm_spark.plan.plan import RefreshKind, Technique
from dbt.adapters.ivm_spark.refresh.response import IvmAdapterResponse
from dbt.adapters.ivm_spark.session.credentials import IvmSparkCredentials
from tests.unit.docs.blocks import (
    DIRECTIVES,
    PAGES,
    ROOT,
    Block,
    blocks,
    inline_commands,
    prose,
)
from tests.unit.docs.commands import macro_arguments, wrong_with
from tests.unit.docs.examples import compiled, said_of

BLOCKS = [block for page in PAGES for block in blocks(page)]
CONFIGS = set(IvmSparkConfig.__dataclass_fields__) | set(NodeConfig.__dataclass_fields__)
TESTS = {"unique", "not_null", "accepted_values", "relationships"}
STATEMENTS = {"OPTIMIZE", "VACUUM"}
"""What sqlglot has no tree for, and Spark with Delta has."""


def of(*languages: str) -> Any:
    found = [block for block in BLOCKS if block.language in languages]
    return pytest.mark.parametrize("block", found, ids=str)


def test_there_are_blocks_of_each_kind() -> None:
    """Else the tests below would pass on nothing."""
    found = [block.language for block in BLOCKS]
    assert {k: found.count(k) > n for k, n in (("sql", 15), ("yaml", 5), ("console", 10))} == {
        "sql": True,
        "yaml": True,
        "console": True,
    }
    assert set(found) <= {"sql", "yaml", "python", "console", "text", "jinja", "json", ""}
    assert set().union(*(block.said for block in BLOCKS)) == DIRECTIVES


@of("sql")
def test_sql_blocks_parse(block: Block) -> None:
    check_sql(block)


def check_sql(block: Block) -> None:
    """A model has to be maintained, or to say why it is not; a statement has to be one."""
    sql, config = compiled(block.code)
    if config.get("materialized") != "ivm":
        for statement in sqlglot.parse(sql, dialect="spark"):
            if isinstance(statement, exp.Command):
                assert str(statement.this).upper() in STATEMENTS, statement
        assert "full" not in block.said
        return
    read_config({key: value for key, value in config.items() if key != "materialized"})
    said = said_of(sql)
    if "full" in block.said:
        assert re.match(r"`full`: `(\w+)`", said), f"{said}, not in full"
        assert said.split("`")[3] == block.said["full"], said
        assert f"`{block.said['full']}`" in prose(block.page), "the text does not give the reason"
    else:
        assert not said.startswith("`full`"), said


@pytest.mark.parametrize("block", [b for b in BLOCKS if "file" in b.said], ids=str)
def test_a_block_equals_the_file_that_it_shows(block: Block) -> None:
    assert (ROOT / block.said["file"]).read_text().strip() == block.code


@of("yaml")
def test_yaml(block: Block) -> None:
    for key, value in yaml.safe_load(block.code).items():
        if key == "models" and isinstance(value, list):
            for model in value:
                check_config(model.get("config", {}))
                assert not data_tests_of(model) - TESTS - macro_arguments().keys()
        elif key == "models":
            check_config(dict(pluses(value)))
        elif key == "sources":
            for source in value:
                UnparsedSourceDefinition.validate(source)
        elif "outputs" in value:
            for output in value["outputs"].values():
                assert output["type"] == "ivm_spark"
                IvmSparkCredentials.validate({k: v for k, v in output.items() if k != "type"})
        elif key in ("on-run-start", "on-run-end"):
            assert value.strip("{ }").split("(")[0] in macro_arguments()
        else:
            pytest.fail(f"what is {key}?")


@of("python")
def test_python(block: Block) -> None:
    """It compiles, and the commands of dbt in its texts exist."""
    compile(block.code, str(block), "exec")
    texts = [n.value for n in ast.walk(ast.parse(block.code)) if isinstance(n, ast.Constant)]
    commands = [re.sub(r"^/\S+/", "", text) for text in texts if isinstance(text, str)]
    found = {c: wrong_with(c) for c in commands if c.startswith("dbt ")}
    assert not any(found.values()), found


def check_config(config: dict[str, Any]) -> None:
    assert config.keys() <= CONFIGS, config.keys() - CONFIGS
    read_config({key: value for key, value in config.items() if key != "materialized"})


def pluses(tree: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The configs of a folder in dbt_project.yml: what begins with a plus."""
    for key, value in tree.items():
        if key.startswith("+"):
            yield key.removeprefix("+"), value
        elif isinstance(value, dict):
            yield from pluses(value)


def data_tests_of(model: dict[str, Any]) -> set[str]:
    """The names of a model's tests, those of its columns included."""
    holders = [model, *model.get("columns", [])]
    tests = [test for holder in holders for test in holder.get("data_tests", [])]
    return {test if isinstance(test, str) else next(iter(test)) for test in tests}


@pytest.mark.parametrize("block", [b for b in BLOCKS if b.commands], ids=str)
def test_commands(block: Block) -> None:
    found = {command: wrong_with(command) for command in block.commands}
    assert not any(found.values()), found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_in_the_prose(page: Path) -> None:
    found = {command: wrong_with(command) for command in inline_commands(page)}
    assert not any(found.values()), found


@pytest.mark.parametrize(
    "command",
    [
        "make tea",
        "make fuzz SEEDS=3",
        "dbt refresh",
        "dbt run --no-such-flag",
        "dbt run-operation no_such_macro",
        "dbt run-operation ivm_changes --args '{modle: revenue}'",
        "pip install another-package",
        "pip install 'dbt-ivm-spark[nothing]'",
        "python docs/no_such_script.py",
    ],
)
def test_a_wrong_command_is_found(command: str) -> None:
    assert wrong_with(command)


@pytest.mark.parametrize(
    "code",
    [
        "select * from {{ no_such_macro('revenue_by_customer') }}",
        "select * from {{ ivm_changes(ref('revenue_by_customer'), sinse=3) }}",
        "{{ config(materialized='ivm') }} select * from {{ ref('no_such_model') }}",
        "{{ config(materialized='ivm') }} select no_such_column from {{ ref('sales') }}",
        "{{ config(materialized='ivm') }} select sum(amount) over () from {{ ref('sales') }}",
        "{{ config(materialized='ivm', refresh_policy='often') }} select 1 from {{ ref('sales') }}",
        "alter shop.orders set everything",
    ],
)
def test_a_wrong_example_is_found(code: str) -> None:
    with pytest.raises((AssertionError, ConfigError, jinja2.UndefinedError)):
        check_sql(Block(ROOT / "README.md", 1, "sql", code))


def test_the_readme_lists_our_configs_and_answers() -> None:
    text = (ROOT / "README.md").read_text()
    said = set(IvmAdapterResponse.__dataclass_fields__) - set(AdapterResponse.__dataclass_fields__)
    words = {*KEYS, *said, *(kind.value for kind in RefreshKind), *(t.value for t in Technique)}
    assert sorted(word for word in words if f"`{word}`" not in text) == []


def test_codes_that_the_pages_name_exist() -> None:
    """A word in capitals with an underscore, as code, is a reason code or one of the doctor's."""
    rules = (
        ROOT / "dbt" / "adapters" / "ivm_spark" / "commands" / "doctor" / "rules.py"
    ).read_text()
    known = {code.value for code in ReasonCode} | set(re.findall(r'"([A-Z_]+)"', rules))
    for page in PAGES:
        named = set(re.findall(r"`([A-Z]{3,}(?:_[A-Z]+)+)`", prose(page)))
        assert named - known == set(), page.name


def test_files_that_the_contributors_guide_names_exist() -> None:
    named = re.findall(
        r"`((?:dbt|docs|tests|benchmarks)/[\w./-]+)`", prose(ROOT / "CONTRIBUTING.md")
    )
    assert len(named) > 10
    missing = {path for path in named if not (ROOT / path).exists()}
    assert missing <= {"docs/benchmarks.md"}, "only that one is made by a command"
