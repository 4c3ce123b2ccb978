"""What there is to know of a model's query: its tree, and what Spark says of it."""
