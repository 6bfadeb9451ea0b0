"""Random SQL that is meant to be hard for lineage, and the check of its lineage."""
