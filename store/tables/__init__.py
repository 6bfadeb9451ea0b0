"""Read and write Delta tables and partitions of triples, and show them as of one generation."""
