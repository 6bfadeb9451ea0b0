"""Ingest the lineage from the folder of association files that a captured Spark job has left."""
