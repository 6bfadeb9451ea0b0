"""Find the name of an item by its number, and the number by the name, without Spark."""
