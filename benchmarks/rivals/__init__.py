"""What is compared: ivm, what a user would pick instead, and floors below which nothing goes."""
