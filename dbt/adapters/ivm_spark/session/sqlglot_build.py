"""A check of the installed build of sqlglot."""

from __future__ import annotations

from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ivm_spark.algebra.dialect import IvmSpark


def check_sqlglot() -> None:
    """Raise DbtRuntimeError if sqlglot's compiled build replaces its Python classes.

    That build (the package sqlglotc, which the extra `sqlglot[c]` installs) refuses classes that
    extend its own, as our dialect does. Source: sqlglot's issue 7923.
    """
    try:
        IvmSpark().parser()
    except TypeError as error:
        raise DbtRuntimeError(
            "sqlglot's compiled build is installed, and this adapter's dialect can't extend it. "
            "Remove it: pip uninstall sqlglotc. sqlglot itself stays."
        ) from error
