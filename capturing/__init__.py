"""Capture the lineage of rows in Spark jobs, read the captured files, and walk the lineage."""
