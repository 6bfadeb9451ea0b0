"""What-if deletion on arrays: which items would still exist, and which values would change."""
