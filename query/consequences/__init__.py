"""Find the items that depend on an item, and what changes without the item."""
