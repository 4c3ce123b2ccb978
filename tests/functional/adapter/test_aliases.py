import pytest
from dbt.tests.adapter.aliases.test_aliases import (
    BaseAliasErrors,
    BaseAliases,
    BaseSameAliasDifferentSchemas,
)

from tests.budget import only_long

# Spark has no `text`, which the cast macro of the shared fixtures asks for.
MACROS_CAST = """
{% macro string_literal(s) -%}
  cast('{{ s }}' as string)
{%- endmacro %}
"""


class _StringLiteral:
    @pytest.fixture(scope="class")
    def macros(self, request):
        from dbt.tests.adapter.aliases import fixtures

        return {"cast.sql": MACROS_CAST, "expect_value.sql": fixtures.MACROS__EXPECT_VALUE_SQL}


@only_long
class TestAliases(_StringLiteral, BaseAliases):
    pass


@only_long
class TestAliasErrors(_StringLiteral, BaseAliasErrors):
    pass


class TestSameAliasDifferentSchemas(_StringLiteral, BaseSameAliasDifferentSchemas):
    pass
