"""Run the managed Neo4j server, and read and write the summary of a warehouse in Neo4j."""
