"""What is a relation: operators over named columns, their expressions and types."""
