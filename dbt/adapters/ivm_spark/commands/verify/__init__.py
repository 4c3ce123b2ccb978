"""The check of the one rule: a view equals its query at the recorded versions of its sources."""
