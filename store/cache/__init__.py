"""Blocks of triples: partitions that were read and that all questions share."""
