"""What people are told: how a view is maintained, and what its next refresh would do."""
