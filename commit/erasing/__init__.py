"""Erase items from every table, name file, log and from Neo4j."""
