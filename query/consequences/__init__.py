"""Find the items that depend on an item, and the changes without it."""
