"""Decide whether two queries return the same rows: plans, their keys, and refuting databases."""
