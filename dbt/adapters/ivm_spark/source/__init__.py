"""What changed: relations, versions and change ranges of the sources, from Delta's own log."""
