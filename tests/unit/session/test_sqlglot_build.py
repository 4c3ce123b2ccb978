import pytest
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ivm_spark.algebra.dialect import IvmSpark
from dbt.adapters.ivm_spark.session.installed import check_sqlglot


def test_the_python_build_is_taken() -> None:
    check_sqlglot()


def test_the_compiled_build_is_refused_with_a_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def compiled(self: IvmSpark) -> None:
        raise TypeError("interpreted classes cannot inherit from compiled")

    monkeypatch.setattr(IvmSpark, "parser", compiled)
    with pytest.raises(DbtRuntimeError, match="pip uninstall sqlglotc"):
        check_sqlglot()
