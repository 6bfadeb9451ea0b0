"""Find the name of an item by its number, and its number by its name, without Spark."""
