"""Ingest the lineage that a captured Spark job has left in its folder of association files."""
