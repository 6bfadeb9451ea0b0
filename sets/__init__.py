"""Components and connected sets, computed from arrays alone: no files, no Spark, no Neo4j."""
