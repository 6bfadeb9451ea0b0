"""Store triples and names: the warehouse folder, Delta tables, name files, cached partitions."""
