"""What is known of a tree: its cardinality, where its columns come from, how it behaves."""
