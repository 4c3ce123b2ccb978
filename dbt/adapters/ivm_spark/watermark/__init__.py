"""What does a state remember: what its commits record, and what its refreshes have taken."""
