"""A brokerage in layers: generated sources, their changes, and a dbt project of models on them."""
