"""Erase items from every table, name file and log, and from Neo4j."""
