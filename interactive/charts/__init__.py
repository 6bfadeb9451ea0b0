"""Linked views of one table: if bars of a view are brushed, the other views show the selection."""
