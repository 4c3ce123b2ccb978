"""The version of the package, which dbt reads from here."""

version = "0.1.0"
