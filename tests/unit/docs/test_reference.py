"""The reference is what the code says; `make docs` writes it."""

from __future__ import annotations

import re
from dataclasses import fields
from types import ModuleType

import pytest
import yaml
from dbt.adapters.contracts.connection import AdapterResponse

from dbt.adapters.ivm_spark.plan.config import KEYS, read_config
from dbt.adapters.ivm_spark.plan.plan import RefreshKind, Technique
from dbt.adapters.ivm_spark.refresh.response import IvmAdapterResponse
from tests.unit.docs.generators import generator_of


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    return generator_of("reference")


def test_the_page_is_what_the_code_says(generator: ModuleType) -> None:
    assert generator.PAGE.read_text() == generator.page(), "run `make docs` and read the diff"


def test_texts_cover_exactly_what_the_code_has(
    generator: ModuleType,
) -> None:
    texts = generator.TEXTS
    ours = {f.name for f in fields(IvmAdapterResponse)} - {f.name for f in fields(AdapterResponse)}
    assert texts["response"].keys() == ours
    assert texts["kinds"].keys() == {kind.value for kind in RefreshKind}
    assert texts["techniques"].keys() == {technique.value for technique in Technique}
    assert tuple(texts["configs"])[: len(KEYS)] == KEYS
    assert texts["wrong"].keys() == texts["configs"].keys()


@pytest.mark.parametrize("key", [*KEYS, "on_configuration_change"])
def test_a_documented_default_changes_nothing(generator: ModuleType, key: str) -> None:
    first, *others = re.findall(r"`([^`]+)`", generator.default(key))
    assert read_config({key: yaml.safe_load(first)}) == read_config({})
    for other in others:
        read_config({key: yaml.safe_load(other)})


def test_choices_are_printed_by_their_values(generator: ModuleType) -> None:
    assert generator.default("state_writes") == "`merge`; or `append`"
    assert generator.default("on_configuration_change") == "`apply`; or `continue`, `fail`"
    assert generator.default("location_root") == "none"


def test_a_macro_with_its_comment_is_on_the_page(generator: ModuleType) -> None:
    """A macro that shows how it is called is for users; one that is dispatched, to override."""
    text = """
    {#- Says it. dbt run-operation ivm_says --args '{model: x}' -#}
    {% macro ivm_says(model, form='text') -%} x {%- endmacro %}

    {#- The statement of ivm_says. -#}
    {% macro ivm_say_sql(model) -%}
      {{ adapter.dispatch('ivm_say_sql', 'dbt')(model) }}
    {%- endmacro %}

    {% macro silent() %}{% endmacro %}

    {#- Holds where it does. -#}
    {% test holds(model) %} select 1 {% endtest %}
    """
    found = list(generator.macros_in(text))
    assert [(m.kind, m.name, m.arguments, m.public, m.overridable) for m in found] == [
        ("macro", "ivm_says", "model, form='text'", True, False),
        ("macro", "ivm_say_sql", "model", False, True),
        ("macro", "silent", "", False, False),
        ("test", "holds", "model", True, False),
    ]
    assert found[0].text.startswith("Says it.")
    assert found[2].text == ""


def test_macros_for_users_are_listed(generator: ModuleType) -> None:
    assert "ivm_changes" in {macro.name for macro in generator.macros() if macro.public}
