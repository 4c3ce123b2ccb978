"""What a refresh costs, against what a user would do instead: `python -m benchmarks --help`."""
