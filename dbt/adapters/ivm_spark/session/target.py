"""What a project sees of its target.

Packages ask `target.type` for the platform (`target.type in ('spark', 'databricks')`), whose SQL is
Spark's. dbt asks the credentials' `type` for the adapter, and puts the same word into `target`, so
only `Profile.to_target_dict`, which every `target` in Jinja comes from, can tell the two apart.
"""

from __future__ import annotations

from typing import Any

from dbt.config.profile import Profile

from dbt.adapters.ivm_spark.session.credentials import IvmSparkCredentials

PLATFORM = "spark"
"""`target.type` of every target of this adapter."""
_OF_DBT = Profile.to_target_dict


def _to_target_dict(self: Profile) -> dict[str, Any]:
    """Return dbt's `target`; of this adapter, its type is Spark's and `adapter` names the adapter.

    `adapter` is for `dbt_project.yml`, where `adapter.type()` can't be called.
    """
    target = _OF_DBT(self)
    if isinstance(self.credentials, IvmSparkCredentials):
        target.update(type=PLATFORM, adapter=self.credentials.type)
    return target


def show_platform() -> None:
    """Make `target.type` name the platform in all projects on this adapter."""
    Profile.to_target_dict = _to_target_dict  # type: ignore[method-assign]
