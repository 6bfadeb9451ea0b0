"""Walk the lineage of a captured block in the Spark session that made it."""
