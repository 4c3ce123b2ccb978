"""The commands for people: explain, verify, doctor, report, changes."""
