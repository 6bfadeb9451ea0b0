"""Modules of workflows: their declarations, and views in which they are folded, on arrays."""
