"""How a delta is computed: each part once, from few rows, against less of its partners. Pure."""
