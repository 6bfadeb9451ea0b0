"""Delta tables, partitions of triples, and the view of one generation on them."""
