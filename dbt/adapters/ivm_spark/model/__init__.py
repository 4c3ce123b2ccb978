"""What a model asks for: its configs, checked, and the request of one run."""
