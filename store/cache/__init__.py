"""Partitions of triples that Spark caches for all questions."""
