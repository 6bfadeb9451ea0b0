"""The summary in Neo4j: the managed server, and the one module that queries and writes it."""
