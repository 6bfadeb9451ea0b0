"""Names of items: number to name and name to number, without Spark."""
