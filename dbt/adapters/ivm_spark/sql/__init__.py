"""What does the query say: text to tree, tree to text."""
