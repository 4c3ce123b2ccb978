from types import SimpleNamespace

from dbt.adapters.ivm_spark.impl import IvmSparkAdapter


class Config:
    """The config object of a node, as far as the hook uses it."""

    def __init__(self, **values: str) -> None:
        self.model = SimpleNamespace(config=dict(values))

    def get(self, name: str) -> str | None:
        return self.model.config.get(name)


def resolved_format(config: Config) -> str | None:
    IvmSparkAdapter.pre_model_hook(IvmSparkAdapter.__new__(IvmSparkAdapter), config)
    return config.get("file_format")


def test_delta_is_the_default_file_format() -> None:
    assert resolved_format(Config()) == "delta"


def test_the_users_file_format_wins() -> None:
    assert resolved_format(Config(file_format="parquet")) == "parquet"


def test_a_backtick_in_a_name_does_not_end_it() -> None:
    assert IvmSparkAdapter.quote("ti`ck") == "`ti``ck`"


def test_run_info_names_this_adapter() -> None:
    info = IvmSparkAdapter.get_adapter_run_info(SimpleNamespace(_extra={"file_format": "delta"}))
    assert info.adapter_name == "ivm_spark"
    assert info.model_adapter_details["table_format"] == "delta"
