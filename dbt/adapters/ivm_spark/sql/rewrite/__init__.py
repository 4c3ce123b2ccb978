"""Rewrites the constructs of SQL into the operators that have a delta rule."""
