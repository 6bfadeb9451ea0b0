"""Compute what-if deletions on arrays: which items would still exist, and which values change."""
