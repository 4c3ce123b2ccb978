"""How a delta is computed: evaluated once, from few rows, beside less of what it meets. Pure."""
