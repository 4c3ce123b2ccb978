"""Benchmarks by name: what each measures, and what it takes if it is told nothing."""
