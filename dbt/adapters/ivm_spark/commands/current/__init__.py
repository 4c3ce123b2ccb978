"""A view as a refresh would leave it now: its state with the change since the last refresh."""
