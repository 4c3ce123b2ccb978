"""What a refresh would take both ways: its work, and what earlier refreshes took."""
