"""What changed in the sources: relations, versions and version ranges, from Delta's own log."""
