"""The bulk, on Spark and Delta: the warehouse's folder, tables, names and cached partitions."""
