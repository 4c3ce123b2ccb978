"""What refreshes cost at sizes that this machine does not hold."""
