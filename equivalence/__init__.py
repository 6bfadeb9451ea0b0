"""Decide whether two queries give the same rows: plans, their keys, and databases that refute."""
