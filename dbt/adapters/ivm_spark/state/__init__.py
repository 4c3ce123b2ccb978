"""What is stored: the columns of the state, the view over it, and how a delta is merged. Pure."""
