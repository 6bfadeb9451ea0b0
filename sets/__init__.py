"""Components and connected sets, computed from arrays; knows no file, no Spark and no Neo4j."""
