"""What an error says first: Spark and dbt follow it by stacks and hints."""

from __future__ import annotations


def first_line(error: Exception) -> str:
    """The first line of an error's message, of dbt's own message where it has one."""
    return str(getattr(error, "msg", error)).strip().splitlines()[0]
