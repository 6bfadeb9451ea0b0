"""Linked views of one table: brush bars in some of them, and all others show what is selected."""
