"""Linked views of one table: brush bars in some views, and all others show the selection."""
