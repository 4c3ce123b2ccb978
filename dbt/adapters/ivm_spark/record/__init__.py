"""What a state remembers: the mark of its last commit, its configuration, and its view's."""
