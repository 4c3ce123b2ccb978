"""A model of the docs as dbt compiles it on the docs' example shop, and what the product says."""

from __future__ import annotations

from typing import Any

import jinja2
import yaml

from tests.unit.docs.blocks import ROOT
from tests.unit.docs.commands import macro_arguments
from tests.unit.docs.generators import generator_of

_SHOP = yaml.safe_load((ROOT / "docs" / "example-shop.yml").read_text())
_CHANGES = "(select * from shop.revenue_by_customer)"


def compiled(code: str, schema: str = "shop") -> tuple[str, dict[str, Any]]:
    """The SQL of a model or a statement, and its config. A name that dbt would not know raises.
    schema: where the models are."""
    config: dict[str, Any] = {}

    def set_config(**given: Any) -> str:
        config.update(given)
        return ""

    known: dict[str, Any] = {
        "config": set_config,
        "ref": lambda name: f"{schema}.{name}",
        "source": lambda source, table: f"{source}.{table}",
        "is_incremental": lambda: True,
        "this": "shop.revenue_by_customer",
        "target": {"schema": "analytics"},
        **{name: _macro(name) for name in macro_arguments()},
    }
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
    return environment.from_string(code).render(known).strip(), config


def _macro(name: str) -> Any:
    def call(*arguments: Any, **given: Any) -> str:
        allowed = macro_arguments()[name]
        assert len(arguments) <= len(allowed), f"{name} takes {allowed}"
        assert given.keys() <= set(allowed), f"{name} takes {allowed}, not {sorted(given)}"
        return _CHANGES

    return call


def said_of(sql: str) -> str:
    """The technique that the product would use, or `full` and the reason."""
    sources = {name.removeprefix("shop."): types for name, types in _SHOP["relations"].items()}
    said: str = generator_of("supported_sql").said_of(
        sql, sources=sources, arguments=_SHOP["computed"]
    )
    return said
