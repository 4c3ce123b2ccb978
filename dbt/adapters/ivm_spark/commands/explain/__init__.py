"""The explanation of how a view is maintained, and of what its next refresh would do."""
