"""Find the name of an item by its number, and the number of an item by its name, without Spark."""
