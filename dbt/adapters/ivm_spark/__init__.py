"""The dbt adapter `ivm_spark`: dbt-spark with materialized views that are kept incrementally."""

from dbt.adapters.base.plugin import AdapterPlugin

from dbt.adapters.ivm_spark.impl import IvmSparkAdapter
from dbt.adapters.ivm_spark.session.credentials import IvmSparkCredentials
from dbt.adapters.ivm_spark.session.target import show_platform
from dbt.include import ivm_spark

Plugin = AdapterPlugin(
    adapter=IvmSparkAdapter,  # type: ignore[arg-type]  # the protocol is typed for metaclasses
    credentials=IvmSparkCredentials,
    include_path=ivm_spark.PACKAGE_PATH,
    dependencies=["spark"],
)

show_platform()
