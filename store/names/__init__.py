"""Find the names of items by number, and items by name, without Spark."""
