"""What a query says in SQL's words, said in the operators that have a delta rule."""
