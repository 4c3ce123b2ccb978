"""One refresh, carried out: from a plan to its commit and outcome."""
