"""Delta tables, partitions of triples, and what one generation shows of them."""
