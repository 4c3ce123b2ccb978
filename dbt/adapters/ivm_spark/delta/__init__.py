"""How change moves: the delta of every operator of a view tree. Pure."""
