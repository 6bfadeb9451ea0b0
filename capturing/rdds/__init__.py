"""Capture the lineage of RDDs: ids ride along in the tasks, and shuffles write associations."""
