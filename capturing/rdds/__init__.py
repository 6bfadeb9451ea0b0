"""Capture the lineage of RDDs: tasks carry ids with the records, shuffles write associations."""
