"""Partitions of triples, cached by Spark and shared by all questions."""
