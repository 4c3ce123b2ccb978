"""SQL: reads a query's text as a tree, and writes a tree as text."""
