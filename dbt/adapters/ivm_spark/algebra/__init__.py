"""The algebra of relations: operators over named columns, their expressions and types."""
