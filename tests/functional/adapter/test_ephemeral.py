import re
from pathlib import Path

from dbt.tests.adapter.ephemeral.test_ephemeral import (
    BaseEphemeralErrorHandling,
    BaseEphemeralMulti,
    BaseEphemeralNested,
)
from dbt.tests.util import check_relations_equal, run_dbt


def run_sql_of(model: str) -> str:
    """What dbt sent for a model, without digits (schemas are numbered) and spaces."""
    text = Path(f"target/run/test/models/{model}.sql").read_text()
    return re.sub(r"\d+|\s+", "", text)


class TestEphemeralMulti(BaseEphemeralMulti):
    # The inherited test compares with PostgreSQL's text.
    def test_ephemeral_multi(self, project):
        run_dbt(["seed"])
        assert len(run_dbt(["run"])) == 3
        for model in ("dependent", "double_dependent", "super_dependent"):
            check_relations_equal(project.adapter, ["seed", model])
        assert run_sql_of("double_dependent") == (
            "createorreplaceviewtest_test_ephemeral.double_dependentas"
            "with__dbt__cte__baseas(select*fromtest_test_ephemeral.seed),"
            "__dbt__cte__base_copyas(select*from__dbt__cte__base)"
            "--base_copyjustpullsfrombase.Makesurethelisted"
            "--graphofCTEsallsharethesamedbt_cte__basecte"
            "select*from__dbt__cte__basewheregender='Male'unionall"
            "select*from__dbt__cte__base_copywheregender='Female'"
        )


class TestEphemeralNested(BaseEphemeralNested):
    # The inherited test compares with PostgreSQL's text.
    def test_ephemeral_nested(self, project):
        assert len(run_dbt(["run"])) == 2
        assert run_sql_of("root_view") == (
            "createorreplaceviewtest_test_ephemeral.root_viewas"
            "with__dbt__cte__ephemeral_level_twoas(select*fromtest_test_ephemeral.source_table),"
            "__dbt__cte__ephemeralas(select*from__dbt__cte__ephemeral_level_two)"
            "select*from__dbt__cte__ephemeral"
        )


class TestEphemeralErrorHandling(BaseEphemeralErrorHandling):
    pass
