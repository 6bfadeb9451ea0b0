"""Find what depends on an item, and what would change without it."""
