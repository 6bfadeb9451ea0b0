"""The bulk on Spark: Delta tables, names, cached partitions, the commit record."""
