"""Check a warehouse and repair it."""
