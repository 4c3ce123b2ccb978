"""What a view itself changed: its state's commits become a change feed of its rows."""
