"""How statements reach Spark: credentials, connections and the embedded Spark session."""
