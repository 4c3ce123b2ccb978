"""The memory of a state: the watermarks of its commits, and the cost model of its refreshes."""
