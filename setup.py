"""Packaging of dbt-ivm-spark; its metadata is in pyproject.toml."""

from setuptools import setup

setup()
