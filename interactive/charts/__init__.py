"""Linked views of one table: if bars are brushed in some views, the others show the selection."""
