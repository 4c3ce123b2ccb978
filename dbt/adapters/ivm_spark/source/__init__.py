"""What changed: relations, versions and change windows of the sources, from Delta's own log."""
