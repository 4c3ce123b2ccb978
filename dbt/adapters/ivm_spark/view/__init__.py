"""What a query says: compiled SQL becomes a view tree. Pure; knows neither Spark nor dbt."""
