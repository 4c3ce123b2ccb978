"""Packaging of dbt-ivm-spark."""

import re
from pathlib import Path

from setuptools import find_namespace_packages, setup

here = Path(__file__).parent
version = re.search(
    r'version = "(.+)"', (here / "dbt/adapters/ivm_spark/__version__.py").read_text("utf-8")
).group(1)
readme = here / "README.md"

setup(
    name="dbt-ivm-spark",
    version=version,
    description="A dbt adapter that keeps materialized views incrementally on Spark and Delta Lake",
    long_description=readme.read_text("utf-8") if readme.exists() else "",
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    packages=find_namespace_packages(include=["dbt", "dbt.*"]),
    package_data={
        "dbt.adapters.ivm_spark": ["py.typed", "commands/report/*.html"],
        "dbt.include.ivm_spark": ["*.yml", "macros/**/*.sql"],
    },
    python_requires=">=3.10",
    install_requires=[
        "agate>=1.9,<1.10",
        "dbt-adapters>=1.24,<2.0",
        "dbt-common>=1.37,<2.0",
        "dbt-core>=1.11,<1.12",
        "dbt-spark>=1.11,<1.12",
        # Maven Central has no jars of 4.4.1.
        "delta-spark>=4.0.1,<5.0,!=4.4.1",
        "packaging>=20.9",
        "pyspark>=4.0.1,<4.2",
        "sqlglot>=30.19,<31.0",
    ],
    extras_require={
        "PyHive": ["dbt-spark[PyHive]"],
        "ODBC": ["dbt-spark[ODBC]"],
        "connect": ["pyspark[connect]"],
        "docs": ["mkdocs-material>=9.6,<10"],
        "release": ["build", "twine>=6"],
        "report": ["matplotlib>=3.8,<4"],
        "dev": [
            "build",
            "dbt-spark[PyHive]",
            "dbt-tests-adapter>=1.20,<2.0",
            "duckdb",
            "hypothesis",
            "matplotlib",
            "mypy",
            "pyspark[connect]",
            "pytest",
            "pytest-xdist",
            "rich",
            "ruff",
            "setuptools",
            "tpchgen-cli",
            "wheel",
        ],
    },
    classifiers=[
        "Development Status :: 3 - Alpha",
        "Operating System :: POSIX",
        "Programming Language :: Python :: 3.10",
        "Programming Language :: Python :: 3.11",
        "Programming Language :: Python :: 3.12",
        "Typing :: Typed",
    ],
)
