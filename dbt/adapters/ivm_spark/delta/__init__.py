"""How change moves: the delta of each operator of a view tree. Pure."""
