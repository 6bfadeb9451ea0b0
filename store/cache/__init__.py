"""Blocks of triples: partitions that were read, shared by all questions."""
