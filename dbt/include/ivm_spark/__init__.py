"""The dbt project of the adapter: its macros and materializations."""

from pathlib import Path

PACKAGE_PATH = str(Path(__file__).parent)
