"""A view's own changes: the commits of its state become a change feed of its rows."""
