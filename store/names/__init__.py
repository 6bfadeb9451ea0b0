"""Names of items, from number to name and from name to number, without Spark."""
