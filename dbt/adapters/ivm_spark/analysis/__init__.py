"""What is known of a tree: its size, where its columns come from, how it behaves."""
