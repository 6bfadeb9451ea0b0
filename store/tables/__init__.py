"""Delta tables, partitions of triples, and snapshots: views of them as of one generation."""
