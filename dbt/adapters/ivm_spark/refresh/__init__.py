"""One refresh, done: from a plan to its commit, and what became of it."""
