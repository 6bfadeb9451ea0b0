"""Storage of triples and names: warehouse folder, Delta tables, name files, cached partitions."""
