"""What are people told: explain, verify, doctor, report, changes."""
