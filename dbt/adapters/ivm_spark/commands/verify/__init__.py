"""Does the one rule hold: a view against its query at the recorded versions of its sources."""
